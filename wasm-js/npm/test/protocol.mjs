// What the tests of supervisor and worker have in common.

import { randomUUID } from 'node:crypto'

export const CAPABILITY = 'ab'.repeat(32)

/** A request line, without its newline, of the worker `w` at `/`, or otherwise as `members` say. */
export const request = (type, members = {}) =>
  JSON.stringify({ version: 1, capability: CAPABILITY, id: randomUUID(), type, workerId: 'w', cwd: '/', ...members })

/** All that a state machine wants done. */
export function drain(machine) {
  const outputs = []
  for (let output; (output = machine.poll()) !== undefined; ) outputs.push(output)
  return outputs
}

/** A clock that stands still until it is told otherwise. */
export class ManualClock {
  #now = 1_000
  #timers = new Map()
  #last = 0

  now() {
    return this.#now
  }

  after(ms, callback) {
    this.#last += 1
    this.#timers.set(this.#last, { at: this.#now + ms, callback })
    return this.#last
  }

  cancel(timer) {
    this.#timers.delete(timer)
  }

  /** How many wake-up calls are due some day. */
  get timers() {
    return this.#timers.size
  }

  advance(ms) {
    this.#now += ms
    for (const [timer, { at, callback }] of this.#timers) {
      if (at > this.#now) continue
      this.#timers.delete(timer)
      callback()
    }
  }
}
