/**
 * The network policy of pi-sandbox: which hosts a sandboxed command may reach.
 *
 * A list of allowed domains is not a data-loss boundary: whoever may talk to a host where anyone
 * can upload can carry data out through it.
 *
 * @module
 */

export {
  canonicalizeHost,
  checkAddresses,
  ConfigError,
  init,
  isPublicAddress,
  isUnixSocketPermissionError,
  matchingPreflightPrefix,
  NetworkPolicy,
  normalizePublicHostname,
  parseConfig,
  PolicyUnavailableError,
} from './internal.js'
export type {
  Action,
  AllowDecision,
  Decision,
  DenyByRuleDecision,
  DenyMalformedDecision,
  DenyNotPublicDecision,
  HostIPCConfig,
  HostIPCMode,
  NetworkConfig,
  PiSandboxConfig,
  ReviewDecision,
  SubagentProvider,
  TextPlace,
} from './internal.js'
