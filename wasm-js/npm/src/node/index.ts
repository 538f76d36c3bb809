/**
 * Supervisor and workers over Unix sockets, for Node.
 *
 * @module
 */

export type { Approve, Destination, WithdrawalSignal, WorkerIdentity } from './approvals.js'
export type { Clock } from './clock.js'
export {
  type ConnectedWorker,
  connectWorker,
  type ConnectWorkerOptions,
  type GivenAnswer,
  type MissingAnswer,
  type WorkerAnswer,
} from './connect-worker.js'
export { listen, type ListeningSupervisor, type ListenOptions } from './listen.js'
