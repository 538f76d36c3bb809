/**
 * The names and shapes of the original extension's helpers and of the sandbox runtime's
 * domain-pattern functions, over the same core as everything else.
 *
 * @module
 */

export {
  ConfigError,
  type HostIPCConfig,
  type HostIPCMode,
  matchesDomainPattern,
  matchesDomainPatternWithPort,
  type NetworkConfig,
  parseConfigValue as parsePiSandboxConfig,
  type PiSandboxConfig,
  PolicyUnavailableError,
  splitDomainPatternPort,
  type SubagentProvider,
  type TextPlace,
} from '../internal.js'
export { DEFAULT_PI_SANDBOX_CONFIG, HOST_IPC_MODES, SUBAGENT_PROVIDERS } from './defaults.js'
export {
  createExternalWorkerSupervisor,
  type ExternalWorkerSupervisor,
  type ExternalWorkerSupervisorLifecycle,
  type ExternalWorkerSupervisorOptions,
} from './external-supervisor.js'
export { canonicalizeHost, isValidHost } from './host.js'
export { isUnixSocketPermissionError, matchingPreflightPrefix } from './host-ipc.js'
export { loadPiSandboxConfig, type LoadPiSandboxConfigOptions } from './load.js'
export { getLegacyPiSandboxConfigPath, getPiSandboxConfigPath } from './paths.js'
export { decodeExternalNetworkPolicy, type ExternalNetworkPolicy } from './external-network-policy.js'
export {
  type HostnameResolver,
  isPublicAddress,
  normalizePublicHostname,
  validatePublicHostname,
} from './public-host.js'
