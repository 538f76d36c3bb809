import { ConfigError, parseConfig, type PiSandboxConfig } from '../internal.js'
import { findConfig, type FindConfigOptions } from './find.js'

/** Where {@link loadPiSandboxConfig} looks. */
export type LoadPiSandboxConfigOptions = FindConfigOptions

/**
 * The configuration at the trusted place: below the home folder, never in the project that is
 * worked on. The defaults when there is no file. A file that cannot be read or holds no
 * configuration is an error.
 */
export function loadPiSandboxConfig(options: LoadPiSandboxConfigOptions = {}): PiSandboxConfig {
  const found = findConfig(options)
  if (found === undefined) return parseConfig('{}')
  try {
    return parseConfig(found.text)
  } catch (error) {
    throw error instanceof ConfigError && error.line !== undefined ? atPath(error, found.path) : error
  }
}

function atPath(error: ConfigError, path: string): ConfigError {
  const { line, column, offset } = error
  const place = { line, column, offset } as NonNullable<ConstructorParameters<typeof ConfigError>[1]>['place']
  return new ConfigError(`invalid JSON in pi-sandbox configuration at ${path}`, { place, cause: error })
}
