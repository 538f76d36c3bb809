import type { Meaning, Terminal } from './terminal.js'
import { windowAround } from './window.js'

/** A range of a text. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Source lines of one file, their numbers in a column of their own. */
export class Excerpts {
  readonly #text: string
  readonly #terminal: Terminal
  readonly #gutter: number

  /** No line after `lastLine` will be shown. */
  constructor(text: string, lastLine: number, terminal: Terminal) {
    this.#text = text
    this.#terminal = terminal
    this.#gutter = String(lastLine).length
  }

  /** `--> FILE:LINE:COLUMN`, and what else there is to say about the place. */
  place(place: string): string {
    return `${this.#faint(`${' '.repeat(this.#gutter)}-->`)} ${place}\n`
  }

  /** The line in which a range begins, with carets below the range. */
  marked({ from, to }: Range, line: number, meaning: Meaning): string {
    const { shown, indent, marked } = windowAround(this.#text, from, to, this.#columns)
    const carets = `${' '.repeat(indent)}${this.#terminal.paint(meaning, '^'.repeat(marked))}`
    return `${this.#margin('|')}\n${this.#line(line, this.#faint('|'), shown)}${this.#margin('|')} ${carets}\n`
  }

  /** The line in which a range begins, with another text in its place. */
  replaced({ from, to }: Range, text: string, line: number): string {
    // Not a copy of the whole file for each of a thousand fixes.
    const before = this.#text.slice(Math.max(0, from - NEAR), from)
    const behind = this.#text.slice(to, to + NEAR)
    const { shown } = windowAround(`${before}${text}${behind}`, before.length, before.length + text.length, this.#columns)
    return this.#line(line, this.#terminal.paint('good', '+'), shown)
  }

  /** A remark below an excerpt. */
  note(label: string, text: string): string {
    return `${this.#margin('=')} ${this.#terminal.paint('strong', `${label}:`)} ${text}\n`
  }

  #line(line: number, sign: string, shown: string): string {
    return `${this.#faint(String(line).padStart(this.#gutter))} ${sign} ${shown}`.trimEnd() + '\n'
  }

  #margin(sign: string): string {
    return this.#faint(`${' '.repeat(this.#gutter)} ${sign}`)
  }

  #faint(text: string): string {
    return this.#terminal.paint('faint', text)
  }

  get #columns(): number {
    return this.#terminal.columns - this.#gutter - ' | '.length
  }
}

/** More than a line shows. */
const NEAR = 2000
