import { streamOf } from '../bytes.js'

/** The bytes of a text that the build made of them: deflated, in base64. */
export function unpack(packed: string): Promise<ArrayBuffer> {
  const binary = atob(packed)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return new Response(streamOf(bytes).pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer()
}
