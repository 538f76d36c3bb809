import type { TextPlace } from '../internal.js'
import { printable, style } from './style.js'

/** Longest part of a line that is shown. */
const WIDTH = 100

/** The line of a text with a caret below the place. */
export function excerpt(text: string, { line, column }: Pick<TextPlace, 'line' | 'column'>): string {
  const source = [...(text.split('\n')[line - 1] ?? '')]
  const start = Math.max(0, column - 1 - WIDTH / 2)
  const shown = source.slice(start, start + WIDTH)
  const before = printable(shown.slice(0, column - 1 - start).join(''))
  const after = printable(shown.slice(column - 1 - start).join('').replace(/\r$/, ''))
  const margin = ' '.repeat(String(line).length)
  const caret = style(process.stderr, 'bad', '^')
  return [`${margin} |`, `${line} | ${before}${after}`, `${margin} | ${' '.repeat(before.length)}${caret}`].join('\n')
}
