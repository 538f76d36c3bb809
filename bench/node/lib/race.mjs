// Contenders that take turns; the same rules as in ../../lab/src/race.rs.

const FEWEST_ROUNDS = 5
const MOST_ROUNDS = 801
const LONGEST_BATCH = 4e6
const LONGEST_WARM_UP = 20e6

/** Keeps what the contenders return, so that no work is left out. */
export let kept = 0

/**
 * One contender. `decide(queries, from, to)` decides a stretch of the hosts and returns a number. Each contender
 * brings its own loop: one loop for all would call each through a pointer that the compiler cannot see through.
 */
export class Lane {
  #times = []
  #next = 0
  #warm = true

  constructor(name, queries, decide, { batch = 0, smallest = 32 } = {}) {
    this.name = name
    this.queries = queries
    this.decide = decide
    this.batch = batch
    this.smallest = smallest
  }

  async prepare() {
    if (this.batch === 0) {
      this.batch = Math.min(this.smallest, this.queries.length)
      // Until the compiler has done its work, unless that takes too long.
      const end = now() + 300e6
      let fastest = Infinity
      for (let run = 0; run < 5_000 && (run < 3 || now() < end) && fastest * run < 1e9; run += 1) {
        fastest = Math.min(fastest, this.#time())
      }
      const fitting = Math.floor(LONGEST_BATCH / fastest) * this.batch
      this.batch = Math.max(this.batch, Math.min(fitting, this.queries.length))
    }
    this.#warm = this.#time() <= LONGEST_WARM_UP
    this.#next = 0
  }

  async turn() {
    if (this.#next + this.batch > this.queries.length) this.#next = 0
    if (this.#warm) this.#time()
    this.#times.push(this.#time() / this.batch)
    this.#next += this.batch
  }

  times() {
    return this.#times
  }

  #time() {
    const started = now()
    kept += this.decide(this.queries, this.#next, this.#next + this.batch)
    return now() - started
  }
}

/** Runs rounds for about `budget` milliseconds; ratios are to the first lane. */
export async function race(lanes, budget) {
  for (const lane of lanes) await lane.prepare()
  const end = now() + budget * 1e6
  let round = 0
  while (round < FEWEST_ROUNDS || (now() < end && round < MOST_ROUNDS)) {
    for (let turn = 0; turn < lanes.length; turn += 1) await lanes[(turn + round) % lanes.length].turn()
    round += 1
  }
  const reference = lanes[0].times()
  return lanes.map(lane => ({
    name: lane.name,
    ns: median(lane.times()),
    ratio: median(lane.times().map((time, round) => time / reference[round])),
    rounds: round,
  }))
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) / 2)]
}

/** Nanoseconds. */
export function now() {
  return performance.now() * 1e6
}
