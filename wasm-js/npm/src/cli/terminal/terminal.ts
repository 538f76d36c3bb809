const COLOURS = { error: 31, good: 32, warning: 33, info: 36, strong: 1, faint: 2 } as const

/** What a piece of text means. */
export type Meaning = keyof typeof COLOURS

/** Where text for people goes. */
export interface Terminal {
  /** How many columns a line may take. */
  readonly columns: number
  /** The text in the colour of its meaning, where there are colours. */
  readonly paint: (meaning: Meaning, text: string) => string
}

/** A stream as a terminal, or as what stands in for one. */
export function terminalOf(stream: NodeJS.WriteStream): Terminal {
  const colours = wantsColours(stream)
  return {
    columns: stream.isTTY && stream.columns > 0 ? Math.min(Math.max(stream.columns, 40), 160) : 100,
    paint: (meaning, text) => (colours ? `\u001B[${COLOURS[meaning]}m${text}\u001B[0m` : text),
  }
}

/** As <https://force-color.org> and <https://no-color.org> have it. */
function wantsColours({ isTTY }: NodeJS.WriteStream): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = process.env
  if (force) return force !== '0' && force !== 'false'
  return isTTY && !no && term !== 'dumb'
}
