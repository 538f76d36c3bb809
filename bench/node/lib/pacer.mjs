// The native core as a contender: a process that measures itself whenever it is its turn.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { Lane } from './race.mjs'

export class Pacer extends Lane {
  #process
  #answers
  #times = []

  constructor(name, program, size) {
    super(name, [], undefined, { batch: 1 })
    this.#process = spawn(program, [String(size)], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  async prepare() {
    await this.turn()
    this.#times = []
  }

  async turn() {
    this.#process.stdin.write('\n')
    const { value, done } = await this.#answers.next()
    if (done) throw new Error('the native pacer ended early')
    this.#times.push(Number(value))
  }

  times() {
    return this.#times
  }

  async end() {
    this.#process.stdin.end()
    await once(this.#process, 'exit')
  }
}
