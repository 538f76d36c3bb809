// The page's side of the worker. One question is on its way at a time, and of those that wait only
// the newest is kept; an answer counts only if nothing was asked after it. A worker that fails or
// does not answer is ended, and everything that was known is void.

import type { Answer, Message, Question, Schema } from './worker/protocol.js'

export interface Failure {
  /** `start`: the worker did not come up, and the next one will hardly either. */
  readonly kind: 'start' | 'trap' | 'timeout'
  readonly reason: string
}

export interface CheckerEvents {
  readonly ready: (schema: Schema) => void
  readonly answer: (answer: Answer) => void
  readonly failure: (failure: Failure) => void
}

/** As much of a `Worker` as is used. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<Message>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(question: Question): void
  terminate(): void
}

/** How long an answer may take. A text of 10 MB takes about a second. */
export const TIME_LIMIT = 15_000

export class Checker {
  readonly #startWorker: () => WorkerLike
  readonly #events: CheckerEvents
  #worker: WorkerLike | undefined
  #ready = false
  #asked: Question | undefined
  #waiting: Question | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(startWorker: () => WorkerLike, events: CheckerEvents) {
    this.#startWorker = startWorker
    this.#events = events
    this.#start()
  }

  /** Asks; an earlier question gets no answer any more. */
  ask(question: Question): void {
    this.#waiting = question
    if (this.#worker !== undefined && this.#asked === undefined) this.#send()
  }

  /** A new worker, after one that did not come up. The question that waits is asked then. */
  restart(): void {
    if (this.#worker === undefined) this.#start()
  }

  #start(): void {
    this.#ready = false
    try {
      const worker = this.#startWorker()
      worker.onmessage = ({ data }) => this.#receive(data)
      worker.onerror = (event) => this.#fail(event.message || 'the worker could not be loaded')
      this.#worker = worker
    } catch (error) {
      // Not before whoever asked for the worker is done.
      queueMicrotask(() => this.#fail(error instanceof Error ? error.message : String(error)))
      return
    }
    this.#watch()
    if (this.#waiting !== undefined) this.#send()
  }

  #send(): void {
    const question = this.#waiting
    if (question === undefined) return
    this.#waiting = undefined
    this.#asked = question
    this.#worker?.postMessage(question)
    this.#watch()
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case 'ready':
        this.#ready = true
        if (this.#asked === undefined) clearTimeout(this.#timer)
        return this.#events.ready(message.schema)
      case 'failure':
        return this.#fail(message.reason)
      case 'answer': {
        clearTimeout(this.#timer)
        this.#asked = undefined
        if (this.#waiting !== undefined) return this.#send()
        return this.#events.answer(message.answer)
      }
    }
  }

  #watch(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#fail(undefined), TIME_LIMIT)
  }

  /** Without a reason: the time is over. */
  #fail(reason: string | undefined): void {
    clearTimeout(this.#timer)
    const worker = this.#worker
    if (worker !== undefined) {
      worker.onmessage = null
      worker.onerror = null
      worker.terminate()
    }
    this.#worker = undefined
    // The question that failed is not asked again by itself: it would fail again.
    this.#asked = undefined
    if (!this.#ready) return this.#events.failure({ kind: 'start', reason: reason ?? 'it did not answer' })
    const kind = reason === undefined ? 'timeout' : 'trap'
    this.#events.failure({ kind, reason: reason ?? 'it did not answer' })
    this.#start()
  }
}
