import { MAX_CHUNK_LENGTH } from '../limits.js'
import { kind } from './kind.js'

const TypedArray = Object.getPrototypeOf(Uint8Array) as { prototype: object }
const typeName = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag)?.get

/**
 * A copy of the bytes, which must be a Uint8Array (a Buffer is one), of this realm or another. The
 * copy has the length that the array really has, whatever a member of it says.
 */
export function toBytes(value: unknown, what: string): Uint8Array {
  if (typeName?.call(value) !== 'Uint8Array') throw new TypeError(`${what} must be a Uint8Array, not ${kind(value)}`)
  const bytes = new Uint8Array(value as Uint8Array)
  if (bytes.length > MAX_CHUNK_LENGTH) {
    throw new RangeError(`${what} is longer than ${MAX_CHUNK_LENGTH} bytes: hand it over in pieces`)
  }
  return bytes
}
