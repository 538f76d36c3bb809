import { init as load } from './instance.js'

/**
 * Loads the WebAssembly module. Needed once, before anything else, where it is a file of its own:
 * in browsers without a bundler and in bundles for them. Elsewhere it came along, and this only
 * makes the first call faster.
 *
 * @param source Where the module is, when not beside this file: a URL, its bytes, or a
 * `WebAssembly.Module`.
 */
export async function init(source?: string | object): Promise<void> {
  await load(source)
}
