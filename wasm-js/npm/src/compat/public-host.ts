import { lookup } from 'node:dns/promises'

import {
  checkAddresses,
  isPublicAddress as isPublic,
  normalizePublicHostname as normalize,
} from '../internal.js'

/** Resolves a name to all its addresses. */
export type HostnameResolver = (hostname: string) => Promise<readonly { address: string; family: number }[]>

/** The public hostname in a text; undefined when there is none. */
export function normalizePublicHostname(value: string): string | undefined {
  return normalize(value) ?? undefined
}

/** Whether an address is public and, when a family (4 or 6) is given, of that family. */
export function isPublicAddress(address: string, family?: number): boolean {
  return isPublic(address) && isOfFamily(address, family)
}

/**
 * The public hostname in a text, when every address it resolves to is public; undefined when one is
 * not, when there is none, and when the resolver fails.
 */
export async function validatePublicHostname(
  value: string,
  resolve: HostnameResolver = resolveAll,
): Promise<string | undefined> {
  const hostname = normalizePublicHostname(value)
  if (hostname === undefined) return undefined
  try {
    const answers = Array.from(await resolve(hostname), ({ address, family }) => ({ address, family }))
    const consistent = answers.every(({ address, family }) => isOfFamily(address, family))
    return consistent && checkAddresses(answers.map(({ address }) => address)) ? hostname : undefined
  } catch {
    return undefined
  }
}

const resolveAll: HostnameResolver = (hostname) => lookup(hostname, { all: true, verbatim: true })

/** Whether a text, if it is an address, is of the family that it is said to be of. */
function isOfFamily(address: string, family: number | undefined): boolean {
  return family === undefined || family === (address.includes(':') ? 6 : 4)
}
