import { type ListName, locateEntry, type TextRange } from '../internal.js'
import type { Configuration } from './configuration.js'

/** An entry of a list. */
export interface Entry {
  readonly list: ListName
  readonly index: number
}

/** Each look reads the whole file. When this many characters are read, the list and the number have to do. */
const MOST_READ = 100_000_000

/** Where the entries of a policy stand in its file. */
export class Places {
  readonly #configuration: Configuration
  readonly #known = new Map<string, TextRange | null>()
  #read = 0

  constructor(configuration: Configuration) {
    this.#configuration = configuration
  }

  /** Null when it is not known. */
  of({ list, index }: Entry): TextRange | null {
    const key = `${list}[${index}]`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.#read > MOST_READ) return null
    this.#read += this.#configuration.text.length
    const place = locateEntry(this.#configuration.text, list, index) ?? null
    this.#known.set(key, place)
    return place
  }

  /** As `FILE:LINE:COLUMN`, or else as the list and the number. */
  name(entry: Entry): string {
    const place = this.of(entry)
    return place === null ? `${entry.list}[${entry.index}]` : `${this.#configuration.name}:${place.line}:${place.column}`
  }
}
