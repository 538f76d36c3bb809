// What is written to a terminal.

import type { WriteStream } from 'node:tty'

const CODES = { good: 32, bad: 31, ask: 33, faint: 2 } as const

/** What a piece of text means. */
export type Meaning = keyof typeof CODES

/** The text in the colour of its meaning, where the stream shows colours and nobody has refused them. */
export function style(stream: NodeJS.WriteStream | WriteStream, meaning: Meaning, text: string): string {
  const wanted = stream.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'
  return wanted ? `\u001B[${CODES[meaning]}m${text}\u001B[0m` : text
}

/**
 * The text with everything visible: a key in a file or an argument may hold characters that move
 * the cursor, change colours or turn the direction of writing.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
