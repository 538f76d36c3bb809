import * as glue from 'policy-glue'

import { toPort } from './boundary/port.js'
import { isWellFormed, toText } from './boundary/text.js'
import { head } from './host-text.js'
import { use } from './instance.js'

/** Takes the port off a domain pattern; an address in it comes back in canonical form. */
export function splitDomainPatternPort(pattern: string): { hostPattern: string; port: number | undefined } {
  const text = toText(pattern, 'pattern')
  // Nothing to take off that the core would see differently: the text comes back as it is.
  if (!isWellFormed(text)) return { hostPattern: text, port: undefined }
  return use(() => glue.splitDomainPatternPort(text))
}

/**
 * Whether a pattern without port matches a host, in any spelling. The pattern is read as one of a
 * denied list; a malformed host is matched by `*` alone.
 */
export function matchesDomainPattern(hostname: string, pattern: string): boolean {
  const host = head(toText(hostname, 'hostname'))
  const text = toText(pattern, 'pattern')
  return use(() => glue.matchesDomainPattern(host, text))
}

/** {@link matchesDomainPattern} for a pattern that may have a port, which must then be equal. */
export function matchesDomainPatternWithPort(hostname: string, port: number, pattern: string): boolean {
  const host = head(toText(hostname, 'hostname'))
  const checkedPort = toPort(port)
  const text = toText(pattern, 'pattern')
  return use(() => glue.matchesDomainPatternWithPort(host, checkedPort, text))
}
