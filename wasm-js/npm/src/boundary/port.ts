import { MAX_PORT } from '../limits.js'
import { kind } from './kind.js'

/**
 * The port, checked: an integer from 0 to 65535 and nothing that could be converted to one.
 * WebAssembly would wrap 65979 to 443.
 */
export function toPort(value: unknown): number {
  // The mask is exact for ports alone: it changes what is negative, fractional, too large or NaN.
  if (typeof value === 'number' && (value & MAX_PORT) === value) return value & MAX_PORT
  throw portError(value)
}

function portError(value: unknown): Error {
  return typeof value === 'number'
    ? new RangeError(`port must be an integer from 0 to ${MAX_PORT}, not ${value}`)
    : new TypeError(`port must be a number, not ${kind(value)}`)
}
