import { kind } from './kind.js'

/** Largest index that crosses into WebAssembly as it is. */
const MAX_INDEX = 0xffff_ffff

/** An index or a count, checked: WebAssembly would wrap 4294967296 to 0. */
export function toIndex(value: unknown, what: string): number {
  return toInteger(value, what, MAX_INDEX)
}

/** The value, which must be an integer from 0 and nothing that could be converted to one. */
export function toInteger(value: unknown, what: string, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number') throw new TypeError(`${what} must be a number, not ${kind(value)}`)
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new RangeError(`${what} must be an integer from 0 to ${max}, not ${value}`)
  }
  return value
}

/** The number of a connection, an ask or an exchange, as 64 bits. One that was not given out names nothing. */
export function toId(value: unknown, what: string): bigint {
  return BigInt(toInteger(value, what))
}

/** Milliseconds of the host's clock, as 64 bits. */
export function toTime(now: unknown): bigint {
  return BigInt(toInteger(now, 'now'))
}
