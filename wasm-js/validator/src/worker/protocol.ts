// What the page and its worker say to one another. Each question holds everything that the page
// wants to know at one moment, and its answer is of that moment: nothing on the page is older than
// anything else.

import type { Decision, Diagnostic, Explanation, ListName, Relation, TextRange } from 'pi-sandbox-policy'

/** From the page. */
export interface Question {
  readonly version: number
  readonly text: string
  readonly destinations: readonly { readonly host: string; readonly port: number }[]
  /** Which of the destinations to explain. */
  readonly explained: number | undefined
  /** The text to compare with. */
  readonly older: string | undefined
  /** Whether the normalised texts are on show: they may be long. */
  readonly normalised: boolean
}

/** To the page. */
export type Message =
  | { readonly kind: 'ready'; readonly schema: Schema }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'failure'; readonly reason: string }

export interface Answer {
  readonly version: number
  readonly check: Check
  /** Of each destination in order; only for a valid configuration. */
  readonly decisions: readonly Decision[]
  /** Why a host is none, by the place of its destination. */
  readonly malformed: ReadonlyMap<number, string>
  readonly explained: Explained | undefined
  readonly comparison: Comparison | undefined
}

export type Check = Invalid | Valid

interface Checked {
  readonly diagnostics: readonly Diagnostic[]
}

export interface Invalid extends Checked {
  readonly valid: false
  /** What the sandbox says when it refuses the file. */
  readonly refusal: string
}

export interface Valid extends Checked {
  readonly valid: true
  readonly fingerprint: string
  readonly allowed: number
  readonly denied: number
  /** As JSON: the lists in force, and the whole configuration with its defaults. */
  readonly normalised: { readonly policy: string; readonly configuration: string } | undefined
}

/** An entry of a list, and where it stands in the text. */
export interface Located {
  readonly list: ListName
  readonly index: number
  readonly range: Range | undefined
}

export type Range = Pick<TextRange, 'from' | 'to' | 'line'>

export interface Explained {
  readonly index: number
  readonly explanation: Explanation
  readonly places: readonly Located[]
  /** The entry that would allow this destination and nothing else; only for a review. */
  readonly exact: ExactEntry | undefined
}

export interface ExactEntry {
  readonly entry: string
  /** The last entry of the allowed list, where there is one. */
  readonly last: Range | undefined
}

export type Comparison =
  | { readonly valid: false; readonly problem: string }
  | { readonly valid: true; readonly relation: Relation; readonly changes: readonly Change[]; readonly omitted: number }

/** A destination with another answer than before. */
export interface Change {
  readonly host: string
  readonly port: number
  readonly old: Decision
  readonly new: Decision
}

/** As much of JSON Schema as the configuration's schema uses. */
export interface Schema {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}
