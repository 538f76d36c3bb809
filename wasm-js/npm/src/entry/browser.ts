// `pi-sandbox-policy` in browsers: the module is a file of its own, which bundlers find by its URL.

import { provideModule } from '../instance.js'

provideModule({ load: async (source) => compile(await source ?? new URL('./policy.wasm', import.meta.url)) })

async function compile(source: string | object): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source as BufferSource)
  const response = source instanceof Response ? source : await fetch(source instanceof URL ? source : String(source))
  if (!response.ok) throw new Error(`cannot load ${response.url}: ${response.status} ${response.statusText}`)
  return WebAssembly.compile(await response.arrayBuffer())
}

export * from '../index.js'
