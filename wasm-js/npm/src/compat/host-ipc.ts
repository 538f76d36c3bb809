import { isUnixSocketPermissionError as isError, matchingPreflightPrefix as matching } from '../internal.js'

/**
 * The first of the prefixes that the trimmed command starts with and that is followed by the end or
 * by white space.
 */
export function matchingPreflightPrefix(command: string, prefixes: readonly string[]): string | undefined {
  return matching(command, prefixes) ?? undefined
}

/** Whether what a program wrote to stderr, as text or UTF-8, speaks of a Unix socket that the sandbox refused. */
export function isUnixSocketPermissionError(stderr: string | Uint8Array): boolean {
  return isError(stderr instanceof Uint8Array ? new TextDecoder().decode(stderr) : stderr)
}
