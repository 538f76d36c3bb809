import * as glue from 'policy-glue'

import { toText, toTexts } from './boundary/text.js'
import { head } from './host-text.js'
import { use } from './instance.js'

/** The spelling that the system would dial; null for a malformed host. */
export function canonicalizeHost(host: string): string | null {
  const text = head(toHost(host))
  return use(() => glue.canonicalizeHost(text)) ?? null
}

/** Whether the text is a host at all: a malformed one is denied before any rule is looked at. */
export function isValidHost(host: string): boolean {
  const text = head(toHost(host))
  return use(() => glue.isValidHost(text))
}

/** The public hostname in a text, trimmed, in lower case, without one dot at its end; null when there is none. */
export function normalizePublicHostname(value: string): string | null {
  const text = toText(value, 'value')
  return use(() => glue.normalizePublicHostname(text)) ?? null
}

/** Whether the text is the literal of a public address. */
export function isPublicAddress(address: string): boolean {
  const text = toText(address, 'address')
  return use(() => glue.isPublicAddress(text))
}

/** Whether a name that resolves to these addresses may be reached: there is one, and all are public. */
export function checkAddresses(addresses: readonly string[]): boolean {
  const texts = toTexts(addresses, 'addresses')
  return use(() => glue.checkAddresses(texts))
}

/** A host may be of any length: what is too long is malformed, no error. */
function toHost(host: string): string {
  return typeof host === 'string' ? host : toText(host, 'host')
}
