import { randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'

import { kind } from '../boundary/kind.js'
import { toOptions } from '../boundary/options.js'
import {
  type NetworkPolicy,
  type PolicyUnavailableError,
  Supervisor,
  type SupervisorLimits,
  type SupervisorOutput,
  type WorkerRecord,
} from '../internal.js'
import { Approvals, type Approve, type WorkerIdentity } from './approvals.js'
import { type Clock, systemClock } from './clock.js'
import { reporter } from './report.js'
import { PrivateFolder } from './socket-path.js'

/** What {@link listen} takes. */
export interface ListenOptions {
  /** The policy that workers are given, and that answers for them. At most 15,360 bytes as JSON. */
  readonly policy: NetworkPolicy
  /** Decides where the policy says review. */
  readonly approve: Approve
  /** A worker has registered, at a time in milliseconds since 1970. */
  readonly registered?: ((worker: WorkerIdentity, at: number) => void) | undefined
  /** A worker has unregistered, for good. */
  readonly unregistered?: ((worker: WorkerIdentity, at: number) => void) | undefined
  /** Told what the callbacks throw and what ends the supervisor. Otherwise these are warnings of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Whether the policy decides first and only a review is asked about; true unless said otherwise. */
  readonly recheck?: boolean | undefined
  /** Milliseconds that the approver has, 30,000 unless said otherwise: a worker waits no longer. */
  readonly askTimeoutMs?: number | undefined
  /** How much the supervisor remembers. */
  readonly limits?: SupervisorLimits | undefined
  /** Where the socket gets a private folder of its own; the system's folder for temporary files unless said otherwise. */
  readonly folder?: string | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

/** A supervisor that workers can reach. */
export interface ListeningSupervisor {
  /** The Unix socket, in a folder that this user alone may enter. */
  readonly socketPath: string
  /** The secret of the workers, 64 hex digits: hand it to them as privately as a password. */
  readonly capability: string
  readonly policy: NetworkPolicy
  /** Why it has ended for good: see {@link Supervisor.failure}. Undefined while it works. */
  readonly failure: PolicyUnavailableError | undefined
  /** Every worker that ever registered, in that order. */
  workers(): WorkerRecord[]
  /** Denies what waits, ends all connections, removes the socket and its folder. */
  close(): Promise<void>
}

const OPTIONS = [
  'policy',
  'approve',
  'registered',
  'unregistered',
  'onError',
  'recheck',
  'askTimeoutMs',
  'limits',
  'folder',
  'clock',
] as const satisfies readonly (keyof ListenOptions)[]

/** Makes a supervisor that listens on a Unix socket. It keeps the process alive until it is closed. */
export async function listen(options: ListenOptions): Promise<ListeningSupervisor> {
  const listener = new Listener(options)
  await listener.start()
  return listener
}

class Listener implements ListeningSupervisor {
  readonly capability = randomBytes(32).toString('hex')
  readonly #supervisor: Supervisor
  readonly #approvals: Approvals
  readonly #clock: Clock
  readonly #callbacks: Pick<ListenOptions, 'registered' | 'unregistered'>
  readonly #report: (error: unknown) => void
  readonly #folder: PrivateFolder
  readonly #server: Server
  readonly #sockets = new Map<number, Socket>()
  /** Lines for each connection, to be written at once. */
  readonly #replies = new Map<number, string>()
  #deadline: number | undefined
  #timer: unknown
  #failureReported = false
  #closed: Promise<void> | undefined

  constructor(options: ListenOptions) {
    const { policy, approve, registered, unregistered, onError, recheck, askTimeoutMs, limits, folder, clock } = toOptions(
      options,
      OPTIONS,
      'the options of listen',
    )
    for (const [name, value] of Object.entries({ approve, registered, unregistered, onError })) {
      if (typeof value !== 'function' && (value !== undefined || name === 'approve')) {
        throw new TypeError(`${name} must be a function, not ${kind(value)}`)
      }
    }
    this.#supervisor = new Supervisor(policy, this.capability, { recheck, askTimeoutMs, limits })
    this.#callbacks = { registered, unregistered }
    this.#report = reporter(onError)
    this.#approvals = new Approvals(approve, this.#report)
    this.#clock = clock ?? systemClock
    this.#folder = new PrivateFolder(folder)
    this.#server = createServer((socket) => this.#accept(socket))
  }

  async start(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject)
        this.#server.listen({ path: this.socketPath }, resolve)
      })
      chmodSync(this.socketPath, 0o600)
      this.#server.removeAllListeners('error').on('error', this.#report)
    } catch (error) {
      this.#server.close()
      this.#folder.remove()
      throw error
    }
  }

  get socketPath(): string {
    return this.#folder.socketPath
  }

  get policy(): NetworkPolicy {
    return this.#supervisor.policy
  }

  get failure(): PolicyUnavailableError | undefined {
    return this.#supervisor.failure
  }

  workers(): WorkerRecord[] {
    return this.#supervisor.workers()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#supervisor.shutdown()
    this.#carryOut()
    await ended
    this.#folder.remove()
  }

  #accept(socket: Socket): void {
    const connection = this.#supervisor.open()
    this.#sockets.set(connection, socket)
    const closed = (): void => {
      this.#supervisor.close(connection)
      this.#carryOut()
    }
    socket.on('data', (bytes) => this.#receive(connection, socket, bytes))
    // What took no replies takes them again.
    socket.on('drain', () => socket.resume())
    socket.on('end', closed)
    // Its reason is nobody's concern; that it has ended, `close` says.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(connection)
      closed()
    })
    this.#carryOut()
  }

  /** In pieces: each byte may be a line, and each line has a reply that somebody must take. */
  #receive(connection: number, socket: Socket, bytes: Buffer): void {
    for (let start = 0; start < bytes.length; start += PIECE) {
      // What comes after its end is read and dropped.
      if (!this.#sockets.has(connection)) return
      if (socket.isPaused()) {
        socket.unshift(bytes.subarray(start))
        return
      }
      this.#supervisor.receive(connection, bytes.subarray(start, start + PIECE), this.#clock.now())
      this.#carryOut()
    }
  }

  /** Does all that the supervisor wants done, then sees to its next deadline. */
  #carryOut(): void {
    for (let output = this.#supervisor.poll(); output !== undefined; output = this.#supervisor.poll()) {
      this.#perform(output)
    }
    for (const connection of this.#replies.keys()) this.#write(connection)
    if (this.failure !== undefined && !this.#failureReported) {
      this.#failureReported = true
      this.#report(this.failure)
    }
    this.#schedule()
  }

  #perform(output: SupervisorOutput): void {
    switch (output.type) {
      case 'reply':
        this.#replies.set(output.connection, `${this.#replies.get(output.connection) ?? ''}${output.line}\n`)
        break
      case 'close': {
        this.#write(output.connection)
        const socket = this.#sockets.get(output.connection)
        this.#sockets.delete(output.connection)
        if (socket !== undefined) end(socket)
        break
      }
      case 'ask':
        void this.#approvals.ask(output, (word) => {
          this.#supervisor.answer(output.ask, word, this.#clock.now())
          this.#carryOut()
        })
        break
      case 'withdrawn':
        this.#approvals.withdraw(output.ask)
        break
      case 'registered':
      case 'unregistered': {
        const { id, cwd } = output.worker
        void this.#tell(() => this.#callbacks[output.type]?.({ id, cwd }, output.at))
        break
      }
    }
  }

  #write(connection: number): void {
    const lines = this.#replies.get(connection)
    this.#replies.delete(connection)
    const socket = this.#sockets.get(connection)
    // Who does not take replies is not listened to until he does.
    if (lines !== undefined && socket?.writable === true && !socket.write(lines)) socket.pause()
  }

  #schedule(): void {
    const deadline = this.#supervisor.nextDeadline()
    if (deadline === this.#deadline) return
    this.#clock.cancel(this.#timer)
    this.#deadline = deadline
    if (deadline === undefined) return
    this.#timer = this.#clock.after(deadline - this.#clock.now(), () => {
      this.#deadline = undefined
      this.#supervisor.expire(this.#clock.now())
      this.#carryOut()
    })
  }

  /** Calls a callback that is not the supervisor's own; nobody waits for it. */
  async #tell(call: () => unknown): Promise<void> {
    try {
      await call()
    } catch (error) {
      this.#report(error)
    }
  }
}

/** At most so many bytes are handed to the supervisor before its replies are taken away. */
const PIECE = 4096

/** Ends a connection when its last reply is taken. A worker that does not take it holds nobody up. */
function end(socket: Socket): void {
  socket.destroySoon()
  const impatience = setTimeout(() => socket.destroy(), LAST_REPLY_MS)
  socket.once('close', () => clearTimeout(impatience))
}

const LAST_REPLY_MS = 1_000
