import * as glue from 'policy-glue'

import type { Action } from './decision.js'
import { freezeAll } from './freeze.js'
import { use } from './instance.js'
import { handleOf, type NetworkPolicy, toPolicy } from './policy.js'

/** How much access the newer policy gives, seen from the older one, over all destinations. */
export type Relation = 'equal' | 'narrower' | 'wider' | 'incomparable'

/** How two policies differ, with proof. */
export interface Comparison {
  readonly relation: Relation
  /** Destinations to which the newer policy gives less access, one for each difference in the rules. */
  readonly narrower: readonly Witness[]
  /** Destinations to which the newer policy gives more access. */
  readonly wider: readonly Witness[]
}

/** A destination that two policies decide differently. */
export interface Witness {
  readonly host: string
  readonly port: number
  /** What the older policy says. */
  readonly old: Action
  /** What the newer policy says. */
  readonly new: Action
}

/** What a change of the policy newly allows, denies and sends to review: exact, with a witness for every difference. Frozen. */
export function compare(older: NetworkPolicy, newer: NetworkPolicy): Comparison {
  const [before, after] = [toPolicy(older, 'older'), toPolicy(newer, 'newer')]
  return freezeAll(use(() => glue.compare(handleOf(before), handleOf(after))) as Comparison)
}
