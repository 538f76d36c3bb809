import { MAX_TEXT_LENGTH } from '../limits.js'
import { kind } from './kind.js'

/** The value, which must be a string (a String object is none). */
export function toText(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string, not ${kind(value)}`)
  if (value.length > MAX_TEXT_LENGTH) {
    throw new RangeError(`${what} is longer than ${MAX_TEXT_LENGTH} UTF-16 code units`)
  }
  return value
}

/**
 * A text that is kept, or judged as a whole. Half of a surrogate pair cannot be written as UTF-8;
 * crossing into WebAssembly would replace it without a word.
 */
export function toStorableText(value: unknown, what: string): string {
  const text = toText(value, what)
  if (!isWellFormed(text)) throw new TypeError(`${what} holds half of a surrogate pair`)
  return text
}

/** Whether no surrogate stands alone. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text)
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** A copy of the array, each element read once; nothing is taken from its prototype. */
export function toTexts(value: unknown, what: string): string[] {
  if (!Array.isArray(value)) throw new TypeError(`${what} must be an array of strings, not ${kind(value)}`)
  const texts: string[] = []
  let budget = MAX_TEXT_LENGTH
  for (let index = 0, length = Number(value.length); index < length; index += 1) {
    const text = toText(ownItem(value, index), `${what}[${index}]`)
    // An empty text takes room as well.
    budget -= text.length + 1
    if (budget < 0) throw new RangeError(`${what} holds more than ${MAX_TEXT_LENGTH} UTF-16 code units`)
    texts.push(text)
  }
  return texts
}

/** The item of an array, never one that its prototype offers for a hole. */
export function ownItem(array: readonly unknown[], index: number): unknown {
  return Object.hasOwn(array, index) ? array[index] : undefined
}
