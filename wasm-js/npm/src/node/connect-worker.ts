import { randomUUID } from 'node:crypto'
import { createConnection, type Socket } from 'node:net'

import { toInteger } from '../boundary/integer.js'
import { toOptions } from '../boundary/options.js'
import { toStorableText } from '../boundary/text.js'
import {
  type Decision,
  type NetworkPolicy,
  type OutgoingRequest,
  type PolicyUnavailableError,
  RequestRefusedError,
  Worker,
  type WorkerStage,
} from '../internal.js'
import { type Clock, systemClock } from './clock.js'
import { checkSocketPath } from './socket-path.js'

/** What {@link connectWorker} takes. */
export interface ConnectWorkerOptions {
  /** Where the supervisor listens. */
  readonly socketPath: string
  /** The secret that the supervisor's side handed over. */
  readonly capability: string
  /** A name that no worker of this supervisor has had. */
  readonly workerId: string
  /** The worker's directory: an absolute path. */
  readonly cwd: string
  /** Milliseconds that a reply may take: at most 30,000, which it is unless said otherwise. */
  readonly timeoutMs?: number | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

/** The answer for one connection. */
export type WorkerAnswer = GivenAnswer | MissingAnswer

/** What somebody said. */
export interface GivenAnswer {
  /** Whether the connection may be made. */
  readonly action: 'allow' | 'deny'
  /** Who said so: the policy or, for a review, the supervisor. A reply that is not understood is a denial of the supervisor. */
  readonly by: 'policy' | 'supervisor'
  /** What the policy says; its `host` is what to dial. */
  readonly decision: Decision
}

/** Nobody said anything: the supervisor could not be asked, or did not reply. */
export interface MissingAnswer {
  readonly action: 'deny'
  readonly by: 'failure'
  /** Why: no connection, no reply in time, a {@link RequestRefusedError}, a {@link PolicyUnavailableError}. */
  readonly error: Error
  readonly decision: Decision
}

/** A registered worker. */
export interface ConnectedWorker {
  readonly stage: WorkerStage
  /** What the supervisor sent; after {@link close} the policy that denies everything. */
  readonly policy: NetworkPolicy
  /** Decides by the policy, and asks the supervisor where that says review. Whatever goes wrong then is deny. */
  decide(host: string, port: number): Promise<WorkerAnswer>
  /** Unregisters. What is waited for is denied, and so is everything from here on. */
  close(): Promise<void>
}

/**
 * Registers a worker with the supervisor that listens on a Unix socket.
 *
 * @throws an Error when the supervisor cannot be reached or does not accept the worker.
 */
export async function connectWorker(options: ConnectWorkerOptions): Promise<ConnectedWorker> {
  const worker = new Client(options)
  await worker.register()
  return worker
}

/** What an exchange has come to; with a problem, nobody answered. */
interface Outcome {
  readonly answer: 'allow' | 'deny'
  readonly problem: Error | undefined
}

/** One request on its way, on a connection of its own. */
interface Exchange {
  readonly socket: Socket
  readonly timer: unknown
  readonly settle: (answer: 'allow' | 'deny') => void
  /** Why there will be no reply. */
  problem?: Error
}

const OPTIONS = [
  'socketPath',
  'capability',
  'workerId',
  'cwd',
  'timeoutMs',
  'clock',
] as const satisfies readonly (keyof ConnectWorkerOptions)[]

/** As long as the protocol waits. */
const REPLY_TIMEOUT_MS = 30_000

class Client implements ConnectedWorker {
  readonly #worker: Worker
  readonly #socketPath: string
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #exchanges = new Map<number, Exchange>()
  #closed: Promise<void> | undefined

  constructor(options: ConnectWorkerOptions) {
    const { socketPath, capability, workerId, cwd, timeoutMs = REPLY_TIMEOUT_MS, clock = systemClock } = toOptions(
      options,
      OPTIONS,
      'the options of connectWorker',
    )
    this.#socketPath = checkSocketPath(toStorableText(socketPath, 'socketPath'))
    this.#timeoutMs = toInteger(timeoutMs, 'timeoutMs', REPLY_TIMEOUT_MS)
    this.#clock = clock
    this.#worker = new Worker(capability, workerId, cwd)
  }

  get stage(): WorkerStage {
    return this.#worker.stage
  }

  get policy(): NetworkPolicy {
    return this.#worker.policy
  }

  async register(): Promise<void> {
    const { answer, problem } = await this.#send(this.#worker.register(randomUUID(), this.#clock.now()))
    if (answer === 'allow') return
    const why = problem?.message ?? 'it answered with a denial'
    throw new Error(`the supervisor at ${this.#socketPath} did not accept the worker: ${why}`, { cause: problem })
  }

  async decide(host: string, port: number): Promise<WorkerAnswer> {
    const decision = this.policy.decide(host, port)
    if (decision.action !== 'review') return Object.freeze({ action: decision.action, by: 'policy', decision })
    const { answer, problem } = await this.#ask(decision.host, port)
    if (problem !== undefined) return Object.freeze({ action: 'deny', by: 'failure', error: problem, decision })
    return Object.freeze({ action: answer, by: 'supervisor', decision })
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #ask(host: string, port: number): Promise<Outcome> {
    try {
      return await this.#send(this.#worker.network(randomUUID(), host, port, this.#clock.now()))
    } catch (error) {
      const { failure } = this.#worker
      if (error instanceof RequestRefusedError) return { answer: 'deny', problem: error }
      if (failure !== undefined && error === failure) return { answer: 'deny', problem: failure }
      throw error
    }
  }

  async #close(): Promise<void> {
    if (this.stage !== 'active') return
    const request = this.#worker.unregister(randomUUID(), this.#clock.now())
    // That ended all that was waited for.
    for (const state of this.#exchanges.values()) state.problem ??= new Error('the worker was closed before the reply')
    this.#settle()
    await this.#send(request)
  }

  async #send({ exchange, line }: OutgoingRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      const end = (problem: Error): void => {
        const state = this.#exchanges.get(exchange)
        if (state !== undefined) state.problem ??= problem
        this.#worker.end(exchange)
        this.#settle()
      }
      const socket = createConnection({ path: this.#socketPath })
      const timer = this.#clock.after(this.#timeoutMs, () => end(new Error(`no reply within ${this.#timeoutMs} ms`)))
      const settle = (answer: 'allow' | 'deny'): void => {
        const problem = answer === 'allow' ? undefined : (this.#exchanges.get(exchange)?.problem ?? this.#worker.failure)
        resolve({ answer, problem })
      }
      this.#exchanges.set(exchange, { socket, timer, settle })
      socket.on('connect', () => socket.write(`${line}\n`))
      socket.on('data', (bytes) => {
        this.#worker.receive(exchange, bytes, this.#clock.now())
        this.#settle()
      })
      socket.on('error', end)
      socket.on('close', () => end(new Error('the connection ended without a reply')))
    })
  }

  /** Passes on what exchanges have come to. */
  #settle(): void {
    for (let outcome = this.#worker.poll(); outcome !== undefined; outcome = this.#worker.poll()) {
      const state = this.#exchanges.get(outcome.exchange)
      if (state === undefined) continue
      this.#clock.cancel(state.timer)
      state.settle(outcome.answer)
      this.#exchanges.delete(outcome.exchange)
      state.socket.destroy()
    }
  }
}
