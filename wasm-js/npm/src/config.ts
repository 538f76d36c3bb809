import { parseConfig as parse } from 'policy-glue'

import { configJson } from './boundary/value.js'
import { toStorableText } from './boundary/text.js'
import { ConfigError } from './errors.js'
import { use } from './instance.js'

/** `subagents.provider`. */
export type SubagentProvider = 'builtin' | 'pi-subagents' | 'off'

/** `hostIPC.mode`. */
export type HostIPCMode = 'off' | 'ask'

/** The section `hostIPC`. */
export interface HostIPCConfig {
  mode: HostIPCMode
  preflightCommandPrefixes: readonly string[]
  retryOnUnixSocketError: boolean
}

/** The section `network`. */
export interface NetworkConfig {
  readonly allowedDomains: readonly string[]
  readonly deniedDomains: readonly string[]
}

/** A valid configuration, every default filled in. */
export interface PiSandboxConfig {
  subagents: { provider: SubagentProvider; externalWorkerIsolation: 'off' | 'enforce' }
  filesystem: { additionalAllowRead: readonly string[] }
  network: NetworkConfig
  hostIPC: HostIPCConfig
}

/**
 * Reads the text of a configuration. Every call gives a fresh object.
 *
 * @throws {ConfigError} when the text is no configuration.
 */
export function parseConfig(text: string): PiSandboxConfig {
  return parsed(toStorableText(text, 'text'))
}

/** {@link parseConfig} for a value: its own enumerable members are copied once, then judged. */
export function parseConfigValue(value: unknown): PiSandboxConfig {
  return parsed(configJson(value))
}

/** The error of a text that is known to be no configuration. */
export function configError(text: string): Error {
  const { error } = use(() => parse(text))
  return error === undefined ? new Error('a text was no configuration once and is one now') : toError(error)
}

function parsed(text: string): PiSandboxConfig {
  const { ok, error } = use(() => parse(text))
  if (error !== undefined) throw toError(error)
  return ok as PiSandboxConfig
}

function toError({ message, place }: NonNullable<ReturnType<typeof parse>['error']>): ConfigError {
  return new ConfigError(message, { place })
}
