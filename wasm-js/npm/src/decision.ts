/** What may happen with a connection. */
export type Action = 'allow' | 'deny' | 'review'

/** A rule of the allowed list matched, and none of the denied list. */
export interface AllowDecision {
  readonly action: 'allow'
  readonly reason: 'rule'
  readonly list: 'allowedDomains'
  /** Index of the entry in its list, from 0. */
  readonly index: number
  /** The entry as written. */
  readonly pattern: string
  /** The canonical host: what the system would dial. */
  readonly host: string
  readonly port: number
}

/** A rule of the denied list matched. */
export interface DenyByRuleDecision {
  readonly action: 'deny'
  readonly reason: 'rule'
  readonly list: 'deniedDomains'
  /** Index of the entry in its list, from 0. */
  readonly index: number
  /** The entry as written. */
  readonly pattern: string
  /** The canonical host: what the system would dial. */
  readonly host: string
  readonly port: number
}

/** No rule matched, and the host is no public hostname. */
export interface DenyNotPublicDecision {
  readonly action: 'deny'
  readonly reason: 'not-public'
  readonly host: string
  readonly port: number
}

/**
 * The text is no host; no rule was looked at. Also the answer when the WebAssembly instance failed
 * during the call, because then nothing is known about the host.
 */
export interface DenyMalformedDecision {
  readonly action: 'deny'
  readonly reason: 'malformed-host'
  readonly host: null
  readonly port: number
}

/** No rule matched: somebody must approve this one connection, to this host at this port. */
export interface ReviewDecision {
  readonly action: 'review'
  readonly reason: 'unmatched'
  /** The host to ask about and to dial. */
  readonly host: string
  readonly port: number
}

/** The answer for one destination. */
export type Decision =
  | AllowDecision
  | DenyByRuleDecision
  | DenyNotPublicDecision
  | DenyMalformedDecision
  | ReviewDecision

/** The lists of the policy that decided. */
export interface Lists {
  readonly allowedDomains: readonly string[]
  readonly deniedDomains: readonly string[]
}

// The packed decision, as `outcome.rs` lays it out.
const OUTCOME = 0b111
const OTHER_SPELLING = 0b1000
const INDEX_SHIFT = 4
const DENIED_BY_RULE = 1
const NOT_PUBLIC = 2
const ALLOWED = 3
const REVIEW = 4

/** Whether the canonical host is spelt otherwise than the host that was asked for. */
export function isSpeltOtherwise(packed: number): boolean {
  return (packed & OTHER_SPELLING) !== 0
}

/** The decision behind its packed form. What is none is a denial. */
export function unpack(packed: number, host: string, port: number, lists: Lists): Decision {
  switch (packed & OUTCOME) {
    case ALLOWED: {
      const index = packed >>> INDEX_SHIFT
      const pattern = entry(lists.allowedDomains, index)
      return Object.freeze({ action: 'allow', reason: 'rule', list: 'allowedDomains', index, pattern, host, port })
    }
    case DENIED_BY_RULE: {
      const index = packed >>> INDEX_SHIFT
      const pattern = entry(lists.deniedDomains, index)
      return Object.freeze({ action: 'deny', reason: 'rule', list: 'deniedDomains', index, pattern, host, port })
    }
    case REVIEW:
      return Object.freeze({ action: 'review', reason: 'unmatched', host, port })
    case NOT_PUBLIC:
      return Object.freeze({ action: 'deny', reason: 'not-public', host, port })
    default:
      return malformed(port)
  }
}

/** The denial of what is no host. */
export function malformed(port: number): DenyMalformedDecision {
  return Object.freeze({ action: 'deny', reason: 'malformed-host', host: null, port })
}

function entry(list: readonly string[], index: number): string {
  const pattern = list[index]
  if (pattern === undefined) throw new Error('the deciding entry is not in the list')
  return pattern
}

/** The actions under their numbers in `check`. */
export const ACTIONS: readonly Action[] = ['deny', 'review', 'allow']
