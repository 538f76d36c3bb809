/** The time, and a wake-up call. For tests: everybody else takes the default, which is the system's. */
export interface Clock {
  /** Integer milliseconds that never go back. */
  now(): number
  /** Calls back once, after some milliseconds; the answer is for `cancel`. */
  after(ms: number, callback: () => void): unknown
  /** Takes a wake-up call back. */
  cancel(timer: unknown): void
}

/** Milliseconds since 1970 as they were when the process began, and counted on from there: never back. */
export const systemClock: Clock = {
  now: () => Math.trunc(performance.timeOrigin + performance.now()),
  after: (ms, callback) => setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST_TIMEOUT)),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

/** A longer one would be over at once. */
const LONGEST_TIMEOUT = 0x7fff_ffff
