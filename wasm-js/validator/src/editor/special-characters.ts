// Characters that nobody sees are shown. Not where there are thousands: a line full of them would keep
// the browser busy for minutes.

import { Compartment, EditorState, type Extension, StateField, type Text, type Transaction } from '@codemirror/state'
import { highlightSpecialChars } from '@codemirror/view'

/** Controls but tabs and line ends, what joins or breaks words, and what turns the direction of text. */
const SPECIAL =
  /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202d\u202e\u2066\u2067\u2069\ufeff\ufff9-\ufffc]/gu

const MOST = 2000

const highlight = highlightSpecialChars({ specialChars: SPECIAL })
const shown = new Compartment()

const count = StateField.define<number>({
  create: ({ doc }) => countIn(doc),
  update: (before, transaction) => countAfter(before, transaction),
})

/** Shows special characters in a text that begins as this one. */
export function specialCharacters(text: string): Extension {
  return [
    count,
    shown.of(unlessMany(countIn([text]))),
    // With the change itself: the editor never sees the one without the other.
    EditorState.transactionExtender.of((transaction) => {
      const wanted = unlessMany(countAfter(transaction.startState.field(count), transaction))
      return wanted === shown.get(transaction.startState) ? null : { effects: shown.reconfigure(wanted) }
    }),
  ]
}

function unlessMany(special: number): Extension {
  return special > MOST ? NOTHING : highlight
}

const NOTHING: Extension = []

function countAfter(before: number, { changes, startState }: Transaction): number {
  let special = before
  changes.iterChanges((from, to, _from, _to, inserted) => {
    special += countIn(inserted) - countIn(startState.doc.slice(from, to))
  })
  return special
}

function countIn(text: Text | readonly string[]): number {
  let special = 0
  for (const part of text) {
    // Line ends are parts of their own.
    for (const _ of part.matchAll(SPECIAL)) special += 1
  }
  return special
}
