import * as glue from 'policy-glue'

import { toBytes } from './boundary/bytes.js'
import { toId, toTime } from './boundary/integer.js'
import { toPort } from './boundary/port.js'
import { toStorableText } from './boundary/text.js'
import { type PolicyUnavailableError, RequestRefusedError } from './errors.js'
import { freezeAll } from './freeze.js'
import { use } from './instance.js'
import { Machine } from './machine.js'
import { NetworkPolicy } from './policy.js'

/**
 * How far a {@link Worker} has come: it never goes back. `new` has not asked to register, `active`
 * has a policy and may ask, `stopped` was refused or has left.
 */
export type WorkerStage = 'new' | 'registering' | 'active' | 'leaving' | 'stopped'

/** One line to send to the supervisor. */
export interface OutgoingRequest {
  /** Names the exchange in the calls that follow. */
  readonly exchange: number
  /** JSON without its newline. It holds the capability: not for a log. */
  readonly line: string
}

/** What one exchange came to. */
export interface Outcome {
  readonly exchange: number
  /** For a registration, allow means that the worker is active and has the policy it was sent. */
  readonly answer: 'allow' | 'deny'
}

/**
 * Registers with a supervisor, asks it about connections, and leaves: the protocol without I/O. A
 * request gives a line; write it and a newline to a connection that no other exchange uses, and hand
 * over what comes back. After every input call {@link poll} until it gives undefined: every exchange
 * has exactly one outcome. Times are integers of milliseconds, all of one clock that does not go
 * back. In Node, `connectWorker` of `pi-sandbox-policy/node` does all of this.
 *
 * Request ids are drawn at random by the host, one for each request, such as `crypto.randomUUID()`.
 */
export class Worker {
  readonly #machine: Machine<glue.Worker>
  // What is to be denied when the machine can no longer tell.
  readonly #exchanges = new Set<number>()
  #received: NetworkPolicy | undefined

  /**
   * @param capability The secret that the supervisor's side handed over.
   * @param cwd The worker's directory: an absolute path.
   * @throws {RangeError} when a supervisor would refuse every request of such a worker.
   */
  constructor(capability: string, workerId: string, cwd: string) {
    const secret = toStorableText(capability, 'capability')
    const id = toStorableText(workerId, 'workerId')
    const directory = toStorableText(cwd, 'cwd')
    const refusal = use(() => glue.workerRefusal(secret, id, directory))
    if (refusal !== undefined) throw new RangeError(refusal)
    this.#machine = new Machine(() => {
      const worker = glue.Worker.create(secret, id, directory)
      if (worker === undefined) throw new Error('a worker that was not refused could not be made')
      return worker
    })
    Object.freeze(this)
  }

  /**
   * Why the worker has stopped for good: the WebAssembly instance failed, in a call to it or
   * elsewhere, and its state with it. Undefined while it works. From then on {@link poll} denies every
   * exchange, the policy denies everything, and requests throw this error.
   */
  get failure(): PolicyUnavailableError | undefined {
    return this.#machine.failure
  }

  /**
   * Asks to join.
   *
   * @throws {RequestRefusedError} unless the worker is new.
   */
  register(id: string, now: number): OutgoingRequest {
    const [text, time] = [toStorableText(id, 'id'), toTime(now)]
    return this.#request((worker) => worker.register(text, time))
  }

  /**
   * Asks about one connection.
   *
   * @throws {RequestRefusedError} unless the worker is active and the destination can be asked about:
   * the connection must not be made then.
   */
  network(id: string, host: string, port: number, now: number): OutgoingRequest {
    const [text, time] = [toStorableText(id, 'id'), toTime(now)]
    const [name, number] = [toStorableText(host, 'host'), toPort(port)]
    return this.#request((worker) => worker.network(text, name, number, time))
  }

  /**
   * Says that the worker leaves. Its policy denies everything from here on, and so is what it waits for.
   *
   * @throws {RequestRefusedError} unless the worker is active.
   */
  unregister(id: string, now: number): OutgoingRequest {
    const [text, time] = [toStorableText(id, 'id'), toTime(now)]
    return this.#request((worker) => worker.unregister(text, time))
  }

  /** Bytes have come back, cut anywhere; at most a mebibyte at once. */
  receive(exchange: number, bytes: Uint8Array, now: number): void {
    const [id, time] = [toId(exchange, 'exchange'), toTime(now)]
    const copy = toBytes(bytes, 'bytes')
    this.#machine.call((worker) => worker.receive(id, copy, time))
  }

  /** No more will come back: the connection has ended, or could not be made. */
  end(exchange: number): void {
    const id = toId(exchange, 'exchange')
    this.#machine.call((worker) => worker.end(id))
  }

  /** Denies every exchange whose time is over. */
  expire(now: number): void {
    const time = toTime(now)
    this.#machine.call((worker) => worker.expire(time))
  }

  /** When {@link expire} has something to do next; undefined when nothing is waited for. */
  nextDeadline(): number | undefined {
    const deadline = this.#machine.call((worker) => worker.nextDeadline())
    return deadline === undefined ? undefined : Number(deadline)
  }

  /** The next outcome, frozen; undefined when there is none. */
  poll(): Outcome | undefined {
    const outcome = this.#machine.call((worker) => worker.poll() as Outcome | null)
    if (this.failure !== undefined) return this.#nextDenial()
    if (outcome === null || outcome === undefined) return undefined
    this.#exchanges.delete(outcome.exchange)
    return freezeAll(outcome)
  }

  /** How far it has come. */
  get stage(): WorkerStage {
    return this.#machine.call((worker) => worker.stage() as WorkerStage) ?? 'stopped'
  }

  /** What the supervisor sent, while the worker is active; in every other stage the policy that denies everything. */
  get policy(): NetworkPolicy {
    if (this.stage !== 'active') return denyAll()
    const json = this.#received === undefined ? this.#machine.call((worker) => worker.policyJson()) : undefined
    if (json !== undefined) this.#received = NetworkPolicy.fromTransportText(json)
    return this.#received ?? denyAll()
  }

  #request(call: (worker: glue.Worker) => unknown): OutgoingRequest {
    const requested = this.#machine.call((worker) => call(worker) as { ok?: OutgoingRequest; error?: string })
    if (requested === undefined) throw this.failure
    const { ok, error } = requested
    if (ok === undefined) throw new RequestRefusedError(error)
    this.#exchanges.add(ok.exchange)
    return freezeAll(ok)
  }

  #nextDenial(): Outcome | undefined {
    for (const exchange of this.#exchanges) {
      this.#exchanges.delete(exchange)
      return Object.freeze({ exchange, answer: 'deny' })
    }
    return undefined
  }
}

let made: NetworkPolicy | undefined

/** What is no policy is the policy that denies everything. */
function denyAll(): NetworkPolicy {
  return (made ??= NetworkPolicy.fromTransport(null))
}
