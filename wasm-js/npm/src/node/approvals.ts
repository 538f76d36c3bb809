import type { AskOutput } from '../internal.js'

/** One connection that a worker wants to make and nobody has decided about. */
export interface Destination {
  /** The canonical host: what to show, and what is dialled. */
  readonly hostname: string
  readonly port: number
  readonly protocol: 'tcp'
}

/** A worker. */
export interface WorkerIdentity {
  readonly id: string
  /** Its directory. */
  readonly cwd: string
}

/** `AbortSignal`, where the caller's types have it. */
export type WithdrawalSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : { readonly aborted: boolean }

/**
 * Decides about one connection. Only exactly `'allow'` allows it: any other answer, an exception and
 * an answer that comes too late deny it. The signal says that nobody waits for the answer any more.
 */
export type Approve = (
  destination: Destination,
  worker: WorkerIdentity,
  options: { readonly signal: WithdrawalSignal },
) => 'allow' | 'deny' | PromiseLike<'allow' | 'deny'>

/** The asks that the approver has not answered. */
export class Approvals {
  readonly #approve: Approve
  readonly #report: (error: unknown) => void
  readonly #waiting = new Map<number, AbortController>()

  constructor(approve: Approve, report: (error: unknown) => void) {
    this.#approve = approve
    this.#report = report
  }

  /** Asks the approver; `answer` is called once, or never if he does not answer or the ask is withdrawn. */
  async ask({ ask, hostname, port, workerId, cwd }: AskOutput, answer: (word: unknown) => void): Promise<void> {
    const controller = new AbortController()
    this.#waiting.set(ask, controller)
    let word: unknown
    try {
      const signal = controller.signal as WithdrawalSignal
      word = await this.#approve({ hostname, port, protocol: 'tcp' }, { id: workerId, cwd }, { signal })
    } catch (error) {
      // Who was told that nobody waits may well throw for that reason.
      if (!controller.signal.aborted) this.#report(error)
    }
    if (this.#waiting.delete(ask)) answer(word)
  }

  withdraw(ask: number): void {
    const controller = this.#waiting.get(ask)
    this.#waiting.delete(ask)
    controller?.abort()
  }
}
