import { PolicyUnavailableError } from './errors.js'
import { abandon, ensureInstance, enter, generation, leave, use } from './instance.js'

/**
 * A state machine of the core. Its state is in the WebAssembly instance alone and cannot be made
 * again, so it ends with the instance that it is in.
 */
export class Machine<Handle> {
  readonly #handle: Handle
  readonly #generation: number
  #failure: PolicyUnavailableError | undefined

  constructor(make: () => Handle) {
    this.#handle = use(make)
    this.#generation = generation
  }

  /** Why it has ended; undefined while it works. */
  get failure(): PolicyUnavailableError | undefined {
    return this.#failure
  }

  /** What the machine answers to a call; undefined when it has ended, or does by this call. */
  call<T>(call: (handle: Handle) => T): T | undefined {
    if (this.#failure !== undefined) return undefined
    try {
      ensureInstance()
      if (this.#generation !== generation) throw new Error('the instance was replaced after another call had failed')
      enter()
      const answer = call(this.#handle)
      leave()
      return answer
    } catch (cause) {
      abandon()
      this.#failure = new PolicyUnavailableError(cause)
      return undefined
    }
  }
}
