import type { HostIPCMode, PiSandboxConfig, SubagentProvider } from '../internal.js'

/** What `subagents.provider` may be. */
export const SUBAGENT_PROVIDERS = Object.freeze(['builtin', 'pi-subagents', 'off'] as const satisfies SubagentProvider[])

/** What `hostIPC.mode` may be. */
export const HOST_IPC_MODES = Object.freeze(['off', 'ask'] as const satisfies HostIPCMode[])

/** The configuration of an empty document, frozen throughout. */
export const DEFAULT_PI_SANDBOX_CONFIG: Readonly<PiSandboxConfig> = Object.freeze({
  subagents: Object.freeze({ provider: 'builtin', externalWorkerIsolation: 'off' }),
  filesystem: Object.freeze({ additionalAllowRead: Object.freeze([]) }),
  network: Object.freeze({ allowedDomains: Object.freeze([]), deniedDomains: Object.freeze([]) }),
  hostIPC: Object.freeze({
    mode: 'off',
    preflightCommandPrefixes: Object.freeze([]),
    retryOnUnixSocketError: false,
  }),
})
