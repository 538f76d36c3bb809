// The native core as a contender: a process that measures itself whenever it is its turn.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'

import { Lane } from './race.mjs'

/**
 * Keeps this thread, and the processes it starts, on one processor: on a shared machine one processor can be half as fast
 * as the next. Whether that was possible.
 */
export function stayOnOneProcessor() {
  const last = String(availableParallelism() - 1)
  return spawnSync('taskset', ['--cpu-list', '--pid', last, String(process.pid)], { stdio: 'ignore' }).status === 0
}

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
