import { findConfig, type FoundConfig } from '../compat/find.js'
import { UsageError } from './command.js'

/** The configuration to work on. */
export interface PolicyFile {
  /** Null when no file exists and the defaults hold. */
  readonly path: string | null
  readonly text: string
}

/** The file that was named, or the trusted one. */
export function readPolicyFile(path: string | undefined): PolicyFile {
  const found: FoundConfig | undefined = findConfig({ path })
  if (found === undefined && path !== undefined) {
    throw new UsageError(`there is no file ${path}`, 'name the file, or none to read the trusted configuration')
  }
  return found ?? { path: null, text: '{}' }
}

/** What to call it. */
export function nameOf({ path }: PolicyFile): string {
  return path ?? 'the defaults (no configuration file)'
}
