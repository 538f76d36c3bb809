/** A character as it is shown, and how many columns it takes. */
export interface Cell {
  readonly text: string
  readonly width: number
}

/**
 * The characters of a text. Whatever would move the cursor, change colours, turn the direction of
 * writing or not be seen at all is spelt out: the text may be from a file that nobody has looked at.
 */
export function cells(text: string): Cell[] {
  const shown: Cell[] = []
  let marks = 0
  for (const character of text) {
    marks = MARK.test(character) ? marks + 1 : 0
    if (character === '\t') shown.push({ text: '    ', width: 4 })
    // A pile of marks would grow into the lines around.
    else if (UNSEEN.test(character) || marks > MOST_MARKS) shown.push(spelt(character))
    else shown.push({ text: character, width: marks > 0 ? 0 : WIDE.test(character) ? 2 : 1 })
  }
  return shown
}

/** A text for one line of the terminal. */
export function printable(text: string): string {
  return cells(text.replaceAll('\t', String.raw`\t`)).map((cell) => cell.text).join('')
}

/** How many columns these take. */
export function widthOf(shown: readonly Cell[]): number {
  return shown.reduce((sum, { width }) => sum + width, 0)
}

const MOST_MARKS = 2

function spelt(character: string): Cell {
  const text = `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  return { text, width: text.length }
}

/** Takes no column: it is drawn over the character in front, as vowels and finals of Hangul are. */
const MARK = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]/u

/** Controls, formats, surrogates, what is unassigned or private, and every space but the usual one. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/** Takes two columns: what is an emoji by itself, and the blocks of East Asian writing. */
const WIDE =
  /(?!\p{Regional_Indicator})\p{Emoji_Presentation}|[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18df2}\u{1b000}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u
