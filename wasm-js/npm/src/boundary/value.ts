// JavaScript values become JSON text, which the core judges as it judges every text.
//
// A value is copied once: the enumerable members that it holds itself, each read one time, in the
// order of `Object.keys`. Nothing is inherited, and what a getter or proxy says later is not asked.
// Only as many levels are copied as a configuration or a policy has, so cyclic and very deep values
// are no trouble: a container further in is wrong there whatever it holds.

import { MAX_TEXT_LENGTH } from '../limits.js'
import { isWellFormed, ownItem } from './text.js'

/** The JSON text of a value that should be a configuration: sections, their fields, lists of texts. */
export function configJson(value: unknown): string {
  const copy = new Copy()
  const field = (value: unknown): string => copy.list(value)
  // Sections may be absent, and `undefined` is: the same as one that says nothing.
  const section = (value: unknown): string => (value === undefined ? '{}' : copy.record(value, field))
  return copy.record(value, section)
}

/** The JSON text of a value that should be a policy: two lists of texts. */
export function transportJson(value: unknown): string {
  const copy = new Copy()
  return copy.record(value, (value) => copy.list(value))
}

/** Stands for all that JSON has no word for. No field and no list takes a number. */
const WRONG_EVERYWHERE = '0'

class Copy {
  #budget = MAX_TEXT_LENGTH

  record(value: unknown, member: (value: unknown) => string): string {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#other(value)
    const members = Object.keys(value).map(
      (key) => `${this.#quote(key)}:${member((value as Record<string, unknown>)[key])}`,
    )
    return `{${members.join(',')}}`
  }

  list(value: unknown): string {
    if (!Array.isArray(value)) return this.#other(value)
    const items: string[] = []
    for (let index = 0, length = Number(value.length); index < length; index += 1) {
      const item = ownItem(value, index)
      if (typeof item !== 'string') {
        // One item that is no text makes the list wrong, whatever follows.
        items.push('null')
        break
      }
      items.push(this.#quote(item))
    }
    return `[${items.join(',')}]`
  }

  #other(value: unknown): string {
    switch (typeof value) {
      case 'string':
        return this.#quote(value)
      case 'boolean':
        return String(value)
      case 'undefined':
        return 'null'
      case 'object':
        return value === null ? 'null' : Array.isArray(value) ? '[]' : '{}'
      default:
        return WRONG_EVERYWHERE
    }
  }

  #quote(text: string): string {
    // Quotes and a separator come along.
    this.#budget -= text.length + 3
    if (this.#budget < 0) throw new RangeError(`the value holds more than ${MAX_TEXT_LENGTH} UTF-16 code units`)
    if (!isWellFormed(text)) throw new TypeError('a string in the value holds half of a surrogate pair')
    return JSON.stringify(text)
  }
}
