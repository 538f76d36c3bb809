import { canonicalizeHost as canonicalize, isValidHost } from '../internal.js'

/** The spelling that the system would dial; undefined for a malformed host. */
export function canonicalizeHost(host: string): string | undefined {
  return canonicalize(host) ?? undefined
}

export { isValidHost }
