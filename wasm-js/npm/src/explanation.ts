import type { Decision } from './decision.js'
import type { ListName } from './diagnostic.js'

/** A decision and all that led to it. */
export interface Explanation {
  /** The answer of {@link NetworkPolicy.decide}. */
  readonly decision: Decision
  /** The answer in a sentence. */
  readonly summary: string
  /** How the host as asked became the host that was judged; steps that change nothing are left out. */
  readonly steps: readonly ExplanationStep[]
  /** Every entry that matches, the denied list first, each list in its order. */
  readonly matches: readonly ExplanationMatch[]
  /** How many more match. */
  readonly matchesOmitted: number
  /** When no entry decided: entries that nearly match, and what would. */
  readonly misses: readonly ExplanationMiss[]
  /** How many more there are. */
  readonly missesOmitted: number
}

/** One step from the host as asked to the host that was judged. */
export interface ExplanationStep {
  readonly step: 'brackets' | 'ipv6' | 'ipv4-mapped' | 'lower-case' | 'dot' | 'ipv4'
  /** The host after it. */
  readonly host: string
  /** What was done. */
  readonly message: string
}

/** An entry of the policy. */
export interface RuleReference {
  readonly list: ListName
  /** Index of the entry in its list, from 0. */
  readonly index: number
  /** The entry as written. */
  readonly pattern: string
}

/** An entry that matches. */
export interface ExplanationMatch extends RuleReference {
  /** Whether it is the one that decided. */
  readonly decides: boolean
}

/** An entry that nearly matches. */
export interface ExplanationMiss extends RuleReference {
  readonly kind: 'apex' | 'port' | 'subdomain' | 'parent' | 'address-wildcard' | 'spelling'
  /** Why it does not match. */
  readonly message: string
  /** An entry that would, for the same list; null when there is none. */
  readonly suggestion: string | null
}
