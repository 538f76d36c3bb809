import { NetworkPolicy } from '../internal.js'
import { type Approve, listen } from '../node/index.js'
import type { ExternalNetworkPolicy } from './external-network-policy.js'

/** What becomes of workers. */
export interface ExternalWorkerSupervisorLifecycle {
  /** A worker has registered, at a time in milliseconds since 1970. */
  registered?(worker: { id: string; cwd: string; startedAt: number }): void
  /** A worker has unregistered, for good. */
  unregistered?(worker: { id: string; cwd: string }): void
}

/** A supervisor that workers can reach. */
export interface ExternalWorkerSupervisor {
  socketPath: string
  capability: string
  /** Every worker that ever registered, in that order. */
  workers(): readonly {
    id: string
    cwd: string
    state: 'active' | 'exited'
    startedAt: number
    requests: number
  }[]
  close(): Promise<void>
}

/** Where it may differ from the original's. */
export interface ExternalWorkerSupervisorOptions {
  /** Whether the policy decides first and only a review is asked about: true unless said otherwise; false is the original's way. */
  readonly recheck?: boolean | undefined
}

/**
 * A supervisor for external workers, on a Unix socket in a private folder. Lists that are no policy
 * become the policy that denies everything.
 */
export async function createExternalWorkerSupervisor(
  approve: Approve,
  lifecycle: ExternalWorkerSupervisorLifecycle = {},
  network: Readonly<Record<keyof ExternalNetworkPolicy, readonly string[]>> = { allowedDomains: [], deniedDomains: [] },
  { recheck }: ExternalWorkerSupervisorOptions = {},
): Promise<ExternalWorkerSupervisor> {
  const supervisor = await listen({
    policy: NetworkPolicy.fromTransport(network),
    approve,
    registered: (worker, startedAt) => lifecycle.registered?.({ ...worker, startedAt }),
    unregistered: (worker) => lifecycle.unregistered?.(worker),
    recheck,
  })
  return {
    socketPath: supervisor.socketPath,
    capability: supervisor.capability,
    workers: () =>
      supervisor
        .workers()
        .map(({ id, cwd, state, registeredAt, requests }) => ({ id, cwd, state, startedAt: registeredAt, requests })),
    close: () => supervisor.close(),
  }
}
