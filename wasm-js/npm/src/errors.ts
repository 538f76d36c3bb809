/** Where reading a text stopped. */
export interface TextPlace {
  /** Line, from 1. */
  readonly line: number
  /** Column in characters, from 1. */
  readonly column: number
  /** Offset in bytes of UTF-8, from 0. */
  readonly offset: number
}

/**
 * A text or value is no configuration. The message names the first check that failed and is the
 * same on every host.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** Line from 1, when the text is not JSON. */
  readonly line: number | undefined
  /** Column in characters from 1, when the text is not JSON. */
  readonly column: number | undefined
  /** Offset in bytes of UTF-8 from 0, when the text is not JSON. */
  readonly offset: number | undefined

  constructor(message: string, options?: { readonly place?: TextPlace | undefined; readonly cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.line = options?.place?.line
    this.column = options?.place?.column
    this.offset = options?.place?.offset
  }
}

/**
 * The WebAssembly instance failed during a call whose answer is not a decision: it trapped, or the
 * stack or the memory was used up. The instance is dropped; the next call runs on a new one. Calls
 * that answer with a decision deny instead of throwing this.
 */
export class PolicyUnavailableError extends Error {
  override readonly name = 'PolicyUnavailableError'

  constructor(cause: unknown) {
    super('the policy module failed during this call', { cause })
  }
}

/**
 * A worker cannot make this request: not in its stage, or not with these arguments. The connection
 * that it is about must not be made.
 */
export class RequestRefusedError extends Error {
  override readonly name = 'RequestRefusedError'
}
