import * as glue from 'policy-glue'

import { isWellFormed, toText, toTexts } from './boundary/text.js'
import { use } from './instance.js'

/**
 * The first of the prefixes, as given, that the trimmed command starts with and that is followed by
 * the end or by white space; null when there is none. Half of a surrogate pair matches nothing.
 */
export function matchingPreflightPrefix(command: string, prefixes: readonly string[]): string | null {
  const text = toText(command, 'command')
  const usable = toTexts(prefixes, 'prefixes').filter(isWellFormed)
  return isWellFormed(text) ? (use(() => glue.matchingPreflightPrefix(text, usable)) ?? null) : null
}

/** Whether what a program wrote to stderr speaks of a Unix socket that the sandbox refused. */
export function isUnixSocketPermissionError(stderr: string): boolean {
  const text = toText(stderr, 'stderr')
  return use(() => glue.isUnixSocketPermissionError(text))
}
