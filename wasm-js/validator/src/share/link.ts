// What a link carries: the page's texts, compressed, behind the `#`. Browsers never send that part
// of an address to a server. Whoever makes a link may mean harm, so reading one has limits.

import { streamOf } from '../bytes.js'
import { digits } from '../dom.js'

export interface Shared {
  readonly config: string
  readonly destinations: string
  readonly older: string | undefined
}

/** Longest fragment that is made or read, in characters: what mail and chat programs still carry. */
export const LONGEST_LINK = 32_000
/** Most bytes that a fragment may unpack to. */
export const LARGEST_CONTENT = 1024 * 1024

/** A link that cannot be made or read, and why. */
export class LinkError extends Error {}

const NAME = 'v1='

/** Whether this fragment of an address is one of ours. */
export function isLink(fragment: string): boolean {
  return fragment.replace(/^#/, '').startsWith(NAME)
}

/** The fragment, without the `#`. */
export async function writeLink({ config, destinations, older }: Shared): Promise<string> {
  const json = JSON.stringify(older === undefined ? { config, destinations } : { config, destinations, older })
  const bytes = new TextEncoder().encode(json)
  const tooLarge = (what: string) => new LinkError(`this is too large for a link: ${what}; save the file and send that`)
  if (bytes.length > LARGEST_CONTENT) throw tooLarge(`${kilobytes(bytes.length)} of ${kilobytes(LARGEST_CONTENT)}`)
  const packed = await collect(streamOf(bytes).pipeThrough(new CompressionStream('deflate-raw')), Infinity)
  const fragment = NAME + encodeBase64URL(packed)
  if (fragment.length > LONGEST_LINK) {
    const [length, limit] = [fragment.length, LONGEST_LINK].map(digits)
    throw tooLarge(`${length} characters, of ${limit} at most`)
  }
  return fragment
}

/** What such a fragment carries. */
export async function readLink(fragment: string): Promise<Shared> {
  const text = fragment.replace(/^#/, '')
  if (text.length > LONGEST_LINK) throw new LinkError('the link is longer than any that this page makes')
  if (!text.startsWith(NAME)) throw new LinkError('the link is not one of this page')
  try {
    const packed = decodeBase64URL(text.slice(NAME.length))
    const bytes = await collect(streamOf(packed).pipeThrough(new DecompressionStream('deflate-raw')), LARGEST_CONTENT)
    return toShared(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)))
  } catch (error) {
    if (error instanceof LinkError) throw error
    throw new LinkError('the link is damaged: a part of it may be missing', { cause: error })
  }
}

/** Checks a value that comes from outside of the page. */
export function toShared(value: unknown): Shared {
  if (typeof value !== 'object' || value === null) throw new TypeError('no object')
  const { config, destinations, older } = value as Record<string, unknown>
  if (typeof config !== 'string' || typeof destinations !== 'string') throw new TypeError('no texts')
  if (older !== undefined && typeof older !== 'string') throw new TypeError('no text')
  return { config, destinations, older }
}

async function collect(source: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = source.getReader()
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    if (value === undefined) continue
    length += value.length
    if (length > limit) {
      await reader.cancel()
      throw new LinkError(`the link unpacks to more than ${kilobytes(limit)}`)
    }
    chunks.push(value)
  }
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

function kilobytes(bytes: number): string {
  return `${digits(Math.ceil(bytes / 1024))} KiB`
}

function encodeBase64URL(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function decodeBase64URL(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
