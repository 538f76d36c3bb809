// Hosts as bytes: how they are written for WebAssembly and read back.

import { MAX_HOST_LENGTH } from './limits.js'

/** What {@link writeHost} answers for a host that has to cross as a string. */
export const CROSSES_AS_STRING = -1

/** Writes an ASCII host of at most 255 characters; its length, or {@link CROSSES_AS_STRING}. */
export function writeHost(place: Uint8Array, at: number, host: string): number {
  const length = host.length
  if (length > MAX_HOST_LENGTH) return CROSSES_AS_STRING
  for (let index = 0; index < length; index += 1) {
    const unit = host.charCodeAt(index)
    if (unit > 0x7f) return CROSSES_AS_STRING
    place[at + index] = unit
  }
  return length
}

/** As much of a host as shows what it is: one character too many is as malformed as a million. */
export function head(host: string): string {
  return host.length > MAX_HOST_LENGTH ? host.slice(0, MAX_HOST_LENGTH + 1) : host
}

/** The host behind its length, which is one byte. */
export function readHost(bytes: Uint8Array, at: number): string {
  const length = bytes[at] ?? 0
  for (let index = 0; index < length; index += 1) units[index] = bytes[at + 1 + index] as number
  return String.fromCharCode.apply(null, units.slice(0, length))
}

// An array is spread twice as fast as a view of the bytes; and one that has all its items asks no setter of a changed
// prototype.
const units = Array.from({ length: MAX_HOST_LENGTH }, () => 0)
