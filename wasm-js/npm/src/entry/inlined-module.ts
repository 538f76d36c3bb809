// The module as text inside the JavaScript: no file, no permission, nothing to wait for.

import base64 from 'policy-wasm'

import { provideModule } from '../instance.js'

provideModule({ compile: () => new WebAssembly.Module(decode(base64)) })

function decode(text: string): BufferSource {
  // The fastest way where there is one: several milliseconds of the first call in Node. By way of
  // `globalThis`, so that no bundler adds a Buffer to a page.
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: 'base64'): BufferSource } }
  if (Buffer !== undefined) return Buffer.from(text, 'base64')
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}
