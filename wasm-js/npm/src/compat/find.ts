import { lstatSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'

import { invalidUtf8Offset } from '../internal.js'
import { MAX_TEXT_LENGTH } from '../limits.js'
import { getLegacyPiSandboxConfigPath, getPiSandboxConfigPath } from './paths.js'

/** Where to look for the configuration. */
export interface FindConfigOptions {
  /** The only place to look at. */
  readonly path?: string | undefined
  /** The home folder, instead of the user's. */
  readonly home?: string | undefined
}

/** A file and what it holds. */
export interface FoundConfig {
  readonly path: string
  readonly text: string
}

/** The first file that exists; undefined when none does. */
export function findConfig({ path, home }: FindConfigOptions): FoundConfig | undefined {
  for (const place of path === undefined ? trustedPaths(home) : [path]) {
    const text = readText(place)
    if (text !== undefined) return { path: place, text }
  }
  return undefined
}

/** Where the configuration may be, below the home folder alone; the first file that exists counts. */
export function trustedPaths(home: string = homedir()): string[] {
  // With an empty HOME the paths would lie in the current folder: that of the project.
  if (!isAbsolute(home)) throw new Error(`no trusted place for the pi-sandbox configuration: home is "${home}"`)
  return [getPiSandboxConfigPath(home), getLegacyPiSandboxConfigPath(home)]
}

/** The text of a file; undefined when there is none. */
function readText(path: string): string | undefined {
  const bytes = readBytes(path)
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    const offset = invalidUtf8Offset(bytes)
    throw new Error(`pi-sandbox configuration at ${path} is not UTF-8: byte ${offset}`, { cause })
  }
}

function readBytes(path: string): Uint8Array | undefined {
  try {
    if (!exists(path)) return undefined
    if (statSync(path).size > MAX_TEXT_LENGTH) throw new RangeError(`larger than ${MAX_TEXT_LENGTH} bytes`)
    return readFileSync(path)
  } catch (cause) {
    throw new Error(`failed to read pi-sandbox configuration at ${path}`, { cause })
  }
}

/** Whether anything is there, also a link that leads nowhere. From then on a file that is missing is an error. */
export function exists(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
