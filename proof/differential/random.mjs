// A small deterministic generator of random numbers: the same cases for the same seed, on every runtime.

export class Random {
  #state

  constructor(seed) {
    this.#state = seed >>> 0
    for (let i = 0; i < 8; i += 1) this.#next()
  }

  /** mulberry32 */
  #next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }

  /** An integer from 0 to `below` - 1. */
  below(below) {
    return Math.floor((this.#next() / 2 ** 32) * below)
  }

  chance(one, of) {
    return this.below(of) < one
  }

  pick(items) {
    return items[this.below(items.length)]
  }

  /** `[weight, make]` pairs: makes one of them. */
  weighted(choices) {
    let total = 0
    for (const [weight] of choices) total += weight
    let at = this.below(total)
    for (const [weight, make] of choices) {
      if (at < weight) return make()
      at -= weight
    }
    throw new Error('no choice')
  }

  /** `from` to `to` items, both included. */
  list(from, to, make) {
    return Array.from({ length: from + this.below(to - from + 1) }, make)
  }
}
