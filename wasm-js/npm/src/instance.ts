// The one WebAssembly instance behind all objects of the package, and its replacement when it fails.
//
// Nothing that is expected to fail throws inside the module: an exception out of it is a trap, an
// exhausted stack or exhausted memory, and leaves an instance whose memory cannot be trusted. So
// `entered` is set before each call and cleared after it: an instance that was entered and not left
// is replaced before anything else runs on it, even if no handler of the exception ever ran.

import * as glue from 'policy-glue'

import { PolicyUnavailableError } from './errors.js'

/** How an entry of the package comes by the compiled module. */
export interface ModuleSource {
  /** At once, from bytes that came along. */
  readonly compile?: () => WebAssembly.Module
  /** Later, from elsewhere. */
  readonly load?: (source: string | object | undefined) => Promise<WebAssembly.Module>
}

let moduleSource: ModuleSource = {}
let compiled: WebAssembly.Module | undefined
let tried = false
let entered = true

/** Counts the instances. Handles into an older one are void. */
export let generation = 0
let memory: WebAssembly.Memory
let hostBytes = new Uint8Array(0)
let canonicalHostBytes = new Uint8Array(0)

/** Said once, by the entry that is loaded. */
export function provideModule(source: ModuleSource): void {
  moduleSource = source
}

/** Loads the module where it does not come along. */
export async function init(source?: string | object): Promise<void> {
  if (compiled === undefined && moduleSource.load !== undefined) compiled = await moduleSource.load(source)
  use(() => undefined)
}

/** Makes sure that there is an instance and that it is whole. */
export function ensureInstance(): void {
  if (entered) replaceInstance()
}

/** To be said before the first call of a row, and {@link leave} after the last. */
export function enter(): void {
  entered = true
}

/** See {@link enter}. */
export function leave(): void {
  entered = false
}

/**
 * Tries to replace an instance that failed. Not needed for safety, but until it is replaced a
 * garbage-collected policy would be freed in it.
 */
export function abandon(): void {
  try {
    ensureInstance()
  } catch {
    // There is no stack or memory for it yet: the next call tries again.
  }
}

/** A call whose answer is no decision: what comes out of the module is thrown in our own words. */
export function use<T>(call: () => T): T {
  requireModule()
  try {
    ensureInstance()
    enter()
    const answer = call()
    leave()
    return answer
  } catch (cause) {
    abandon()
    throw new PolicyUnavailableError(cause)
  }
}

/** The place for an ASCII host. */
export function hostPlace(): Uint8Array {
  // Memory that has grown leaves an empty view behind.
  if (hostBytes.length === 0) hostBytes = new Uint8Array(memory.buffer, glue.hostAddress(), HOST_PLACE_LENGTH)
  return hostBytes
}

/** The place of a canonical host: its length, then its bytes. */
export function canonicalHostPlace(): Uint8Array {
  if (canonicalHostBytes.length === 0) {
    canonicalHostBytes = new Uint8Array(memory.buffer, glue.canonicalHostAddress(), HOST_PLACE_LENGTH + 1)
  }
  return canonicalHostBytes
}

const HOST_PLACE_LENGTH = 255

function replaceInstance(): void {
  const module = requireModule()
  const again = tried
  tried = true
  // Makes an instance where there is none yet, and gives its exports in either case.
  glue.initSync({ module })
  if (again) glue.__wbg_reset_state()
  memory = glue.initSync({ module }).memory
  hostBytes = new Uint8Array(0)
  canonicalHostBytes = new Uint8Array(0)
  generation += 1
  entered = false
}

function requireModule(): WebAssembly.Module {
  compiled ??= moduleSource.compile?.()
  if (compiled === undefined) throw new Error('pi-sandbox-policy is not loaded yet: await init() first')
  return compiled
}
