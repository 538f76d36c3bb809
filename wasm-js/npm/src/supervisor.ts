import * as glue from 'policy-glue'

import { toBytes } from './boundary/bytes.js'
import { toId, toIndex, toInteger, toTime } from './boundary/integer.js'
import { kind } from './boundary/kind.js'
import { toOptions } from './boundary/options.js'
import { isWellFormed, toStorableText } from './boundary/text.js'
import type { PolicyUnavailableError } from './errors.js'
import { freezeAll } from './freeze.js'
import { use } from './instance.js'
import { Machine } from './machine.js'
import { handleOf, type NetworkPolicy, toPolicy } from './policy.js'

/** How a {@link Supervisor} behaves where its host may choose. */
export interface SupervisorOptions {
  /** Whether the policy decides first and only a review is asked about; true unless said otherwise. */
  readonly recheck?: boolean | undefined
  /** Milliseconds that the approver has for one ask, 30,000 unless said otherwise; `Infinity` is no limit. */
  readonly askTimeoutMs?: number | undefined
  /** How much the supervisor remembers. What does not fit is denied; nothing is forgotten to make room. */
  readonly limits?: SupervisorLimits | undefined
}

/** Each has a default that suits some hundreds of workers. */
export interface SupervisorLimits {
  /** Connections open at once. */
  readonly connections?: number | undefined
  /** Workers ever registered, the exited ones included. */
  readonly workers?: number | undefined
  /** Request ids ever used up. */
  readonly requestIds?: number | undefined
  /** Asks that wait for the approver, of all workers together. */
  readonly pendingAsks?: number | undefined
  /** Asks of one worker that wait. */
  readonly pendingAsksPerWorker?: number | undefined
}

/** One thing for the host of a {@link Supervisor} to do, or to know. */
export type SupervisorOutput =
  | ReplyOutput
  | CloseOutput
  | AskOutput
  | WithdrawnOutput
  | RegisteredOutput
  | UnregisteredOutput

/** Write the line and a newline to the connection. */
export interface ReplyOutput {
  readonly type: 'reply'
  readonly connection: number
  /** JSON without its newline. */
  readonly line: string
}

/** Write what is to be written and end the connection. The supervisor has forgotten it already. */
export interface CloseOutput {
  readonly type: 'close'
  readonly connection: number
}

/** Ask the approver, and hand what it says to {@link Supervisor.answer}. */
export interface AskOutput {
  readonly type: 'ask'
  /** Names this ask; never used again. */
  readonly ask: number
  readonly connection: number
  /** With recheck the canonical host, without it the text as it was sent. */
  readonly hostname: string
  readonly port: number
  /** The worker's directory. */
  readonly cwd: string
  readonly workerId: string
}

/** Nobody waits for the answer to this ask any more: it was denied. A dialog about it can go. */
export interface WithdrawnOutput {
  readonly type: 'withdrawn'
  readonly ask: number
}

/** A worker has registered. */
export interface RegisteredOutput {
  readonly type: 'registered'
  readonly worker: WorkerSummary
  /** When, by the host's clock. */
  readonly at: number
}

/** A worker has unregistered, for good. */
export interface UnregisteredOutput {
  readonly type: 'unregistered'
  readonly worker: WorkerSummary
  /** When, by the host's clock. */
  readonly at: number
}

/** One worker as its supervisor sees it. */
export interface WorkerSummary {
  readonly id: string
  readonly cwd: string
  /** Whether it may ask. */
  readonly state: 'active' | 'exited'
  /** Its network requests that were accepted, whatever their answers. */
  readonly requests: number
}

/** The same, with the times of the host's clock. */
export interface WorkerRecord extends WorkerSummary {
  readonly registeredAt: number
  /** When it unregistered; null while it has not. */
  readonly exitedAt: number | null
}

/**
 * Answers the requests of workers, from the policy or by asking an approver: the protocol without
 * I/O. Lines or bytes and the time go in; after every input call {@link poll} until it gives
 * undefined, and do what it says, in that order. Times are integers of milliseconds, all of one
 * clock that does not go back. In Node, `listen` of `pi-sandbox-policy/node` does all of this.
 *
 * An input that names nothing known (a connection that ended, an ask that was answered) changes
 * nothing. Should the WebAssembly instance fail, see {@link failure}.
 */
export class Supervisor {
  /** The policy that workers are given. */
  readonly policy: NetworkPolicy
  readonly #machine: Machine<glue.Supervisor>
  // What is to be ended when the machine can no longer tell.
  readonly #connections = new Set<number>()
  readonly #asks = new Set<number>()
  #lastConnection = 0

  /**
   * @param capability The secret of the workers: the hex digits of 32 random bytes.
   * @throws {RangeError} when the policy takes more than 15,360 bytes as JSON, or the capability is none.
   */
  constructor(policy: NetworkPolicy, capability: string, options: SupervisorOptions = {}) {
    this.policy = toPolicy(policy, 'policy')
    const secret = toStorableText(capability, 'capability')
    const chosen = copyOptions(options)
    const refusal = use(() => glue.supervisorRefusal(handleOf(policy), secret))
    if (refusal !== undefined) throw new RangeError(refusal)
    this.#machine = new Machine(() => {
      const supervisor = glue.Supervisor.create(handleOf(policy), secret, Object.assign(new glue.SupervisorOptions(), chosen))
      if (supervisor === undefined) throw new Error('a supervisor that was not refused could not be made')
      return supervisor
    })
    Object.freeze(this)
  }

  /**
   * Why the supervisor has ended for good: the WebAssembly instance failed, in a call to it or
   * elsewhere, and its state with it. Undefined while it works. From then on {@link poll} withdraws
   * every ask and closes every connection, new ones too, and inputs change nothing: workers are denied.
   */
  get failure(): PolicyUnavailableError | undefined {
    return this.#machine.failure
  }

  /** A worker has connected; the number names the connection. At the limit it is denied and closed at once. */
  open(): number {
    const connection = this.#machine.call((supervisor) => Number(supervisor.open())) ?? this.#lastConnection + 1
    this.#lastConnection = connection
    this.#connections.add(connection)
    return connection
  }

  /** Bytes have come, cut anywhere; at most a mebibyte at once. */
  receive(connection: number, bytes: Uint8Array, now: number): void {
    const [id, time] = [toId(connection, 'connection'), toTime(now)]
    const copy = toBytes(bytes, 'bytes')
    this.#machine.call((supervisor) => supervisor.receive(id, copy, time))
  }

  /** A whole line has come, from a host that cuts lines itself. Not to be mixed with {@link receive} on one connection. */
  receiveLine(connection: number, line: string, now: number): void {
    const [id, time] = [toId(connection, 'connection'), toTime(now)]
    const frame = toFrame(line)
    this.#machine.call((supervisor) => supervisor.receiveLine(id, frame, time))
  }

  /** The connection has ended. What its requests wait for is denied; workers stay as they are. */
  close(connection: number): void {
    const id = toId(connection, 'connection')
    this.#machine.call((supervisor) => supervisor.close(id))
    this.#connections.delete(connection)
  }

  /** The approver has spoken. Whatever is not exactly `'allow'` is deny. */
  answer(ask: number, word: unknown, now: number): void {
    const [id, time] = [toId(ask, 'ask'), toTime(now)]
    const spoken = typeof word === 'string' ? word.slice(0, LONGER_THAN_ANY_WORD) : ''
    this.#machine.call((supervisor) => supervisor.answer(id, spoken, time))
    this.#asks.delete(ask)
  }

  /** Denies every ask whose time is over. */
  expire(now: number): void {
    const time = toTime(now)
    this.#machine.call((supervisor) => supervisor.expire(time))
  }

  /** When {@link expire} has something to do next; undefined when no ask waits. */
  nextDeadline(): number | undefined {
    const deadline = this.#machine.call((supervisor) => supervisor.nextDeadline())
    return deadline === undefined ? undefined : Number(deadline)
  }

  /** Denies every ask, ends every connection and refuses new ones. */
  shutdown(): void {
    this.#machine.call((supervisor) => supervisor.shutdown())
  }

  /** The next thing to do, frozen; undefined when there is none. */
  poll(): SupervisorOutput | undefined {
    const output = this.#machine.call((supervisor) => supervisor.poll() as SupervisorOutput | null)
    if (this.failure !== undefined) return this.#nextEnding()
    if (output === null || output === undefined) return undefined
    if (output.type === 'close') this.#connections.delete(output.connection)
    if (output.type === 'ask') this.#asks.add(output.ask)
    if (output.type === 'withdrawn') this.#asks.delete(output.ask)
    return freezeAll(output)
  }

  /**
   * Every worker that ever registered, in that order.
   *
   * @throws {PolicyUnavailableError} after a {@link failure}.
   */
  workers(): WorkerRecord[] {
    const workers = this.#machine.call((supervisor) => supervisor.workers() as WorkerRecord[])
    if (workers === undefined) throw this.failure
    return workers
  }

  #nextEnding(): SupervisorOutput | undefined {
    for (const ask of this.#asks) {
      this.#asks.delete(ask)
      return Object.freeze({ type: 'withdrawn', ask })
    }
    for (const connection of this.#connections) {
      this.#connections.delete(connection)
      return Object.freeze({ type: 'close', connection })
    }
    return undefined
  }
}

/** No word for an answer has so many characters. */
const LONGER_THAN_ANY_WORD = 16

/** One more than the protocol allows and a newline: as long as any longer line, which is refused without being read. */
const LONGER_THAN_ANY_LINE = 16_386

function toFrame(line: string): string {
  if (typeof line !== 'string') throw new TypeError(`line must be a string, not ${kind(line)}`)
  if (line.length >= LONGER_THAN_ANY_LINE) return line.slice(0, LONGER_THAN_ANY_LINE)
  // What is no UTF-8 is no JSON, as the empty line.
  return isWellFormed(line) ? line : ''
}

const LIMITS = ['connections', 'workers', 'requestIds', 'pendingAsks', 'pendingAsksPerWorker'] as const

/** What was chosen, each member read once, under the names of the core. */
function copyOptions(options: SupervisorOptions): Partial<glue.SupervisorOptions> {
  const { recheck, askTimeoutMs, limits } = toOptions(options, ['recheck', 'askTimeoutMs', 'limits'], 'options')
  const chosen: Partial<glue.SupervisorOptions> = {}
  if (recheck !== undefined) {
    if (typeof recheck !== 'boolean') throw new TypeError(`recheck must be true or false, not ${kind(recheck)}`)
    chosen.recheck = recheck
  }
  if (askTimeoutMs !== undefined) {
    chosen.askTimeoutMs = askTimeoutMs === Infinity ? NO_LIMIT : BigInt(toInteger(askTimeoutMs, 'askTimeoutMs'))
  }
  if (limits !== undefined) {
    const given = toOptions(limits, LIMITS, 'limits')
    for (const name of LIMITS) {
      const limit = given[name]
      if (limit !== undefined) chosen[name] = toIndex(limit, `limits.${name}`)
    }
  }
  return chosen
}

const NO_LIMIT = 0xffff_ffff_ffff_ffffn
