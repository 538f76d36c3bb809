import * as glue from 'policy-glue'

import { toIndex } from './boundary/integer.js'
import { toStorableText } from './boundary/text.js'
import { freezeAll } from './freeze.js'
import { use } from './instance.js'
import { type SourceRange, utf16Indexes } from './utf16.js'

/** How much a problem matters: an error refuses the configuration, the others change no decision. */
export type Severity = 'error' | 'warning' | 'info'

/** One of the two lists of a policy. */
export type ListName = 'allowedDomains' | 'deniedDomains'

/** All that can be said about a configuration: its errors or, when there are none, its lints. */
export interface Validation {
  /** Whether {@link parseConfig} accepts the text. Warnings and infos do not count. */
  readonly valid: boolean
  /** In the order of the text; the error that {@link parseConfig} names comes first. */
  readonly diagnostics: readonly Diagnostic[]
  /** How many more there are. Then the last one listed says so. */
  readonly omitted: number
}

/** A range of the text and the place of its start. */
export interface TextRange extends SourceRange {
  /** Line of the start, from 1. */
  readonly line: number
  /** Column of the start in characters, from 1: for people. */
  readonly column: number
  /** Column of the start in UTF-16 code units, from 1: for editors. */
  readonly columnUtf16: number
}

/** One problem. */
export interface Diagnostic extends TextRange {
  readonly severity: Severity
  /** What kind of problem it is, in kebab case. A code never changes its meaning. */
  readonly code: string
  /** Where in the document, such as `network.allowedDomains[2]`; empty for the document itself. */
  readonly path: string
  /** What is wrong. */
  readonly message: string
  /** What to do about it. */
  readonly help: string | null
  /** What an editor can do about it. */
  readonly fix: Fix | null
}

/** A replacement in the text that takes one problem away. Apply one, then validate again. */
export interface Fix extends SourceRange {
  /** What to write there. */
  readonly text: string
}

type WithoutIndexes<T> = Omit<T, 'from' | 'to'>

interface CoreDiagnostic extends WithoutIndexes<Omit<Diagnostic, 'fix'>> {
  readonly fix: WithoutIndexes<Fix> | null
}

interface CoreValidation extends Omit<Validation, 'diagnostics'> {
  readonly diagnostics: readonly CoreDiagnostic[]
}

/** Finds every problem of a configuration text, with its place and what to write instead. Frozen. */
export function validateConfig(text: string): Validation {
  const checked = toStorableText(text, 'text')
  const { valid, diagnostics, omitted }: CoreValidation = use(() => glue.validateConfig(checked))
  const ranges = diagnostics.flatMap(({ start, end, fix }) => (fix === null ? [start, end] : [start, end, fix.start, fix.end]))
  const index = utf16Indexes(checked, ranges)
  return freezeAll({
    valid,
    diagnostics: diagnostics.map(({ severity, code, path, start, end, line, column, columnUtf16, message, help, fix }) => ({
      severity,
      code,
      path,
      start,
      end,
      from: index(start),
      to: index(end),
      line,
      column,
      columnUtf16,
      message,
      help,
      fix: fix && { start: fix.start, end: fix.end, from: index(fix.start), to: index(fix.end), text: fix.text },
    })),
    omitted,
  })
}

/**
 * Where an entry of the policy stands in the text of its configuration, for the `list` and `index`
 * of a decision: the policy leaves repeated entries out, so its numbers are not those of the text.
 * Undefined when there is no such entry. Frozen.
 */
export function locateEntry(text: string, list: ListName, index: number): TextRange | undefined {
  const checked = toStorableText(text, 'text')
  if (list !== 'allowedDomains' && list !== 'deniedDomains') {
    throw new TypeError("list must be 'allowedDomains' or 'deniedDomains'")
  }
  const number = toIndex(index, 'index')
  const range: WithoutIndexes<TextRange> | null = use(() =>
    glue.locateEntry(checked, list === 'deniedDomains', number),
  )
  if (range === null) return undefined
  const { start, end, line, column, columnUtf16 } = range
  const at = utf16Indexes(checked, [start, end])
  return Object.freeze({ start, end, from: at(start), to: at(end), line, column, columnUtf16 })
}

/** The JSON Schema (draft 2020-12) of the configuration, for editors. Every call gives a fresh object. */
export function configSchema(): Record<string, unknown> {
  return JSON.parse(use(() => glue.configSchema())) as Record<string, unknown>
}
