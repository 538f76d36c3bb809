/** The word that was most likely meant, if one is near: a letter more, less, other or swapped, in a long word two. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((word) => ({ word, distance: distance(typed.slice(0, LONGEST).toLowerCase(), word) }))
    .filter(({ word, distance }) => distance <= (word.length > 4 ? 2 : 1))
    .toSorted((one, other) => one.distance - other.distance)
  return best?.word
}

/** No word is as long. */
const LONGEST = 40

/** How many letters have to be added, removed, replaced or swapped with their neighbour. */
function distance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row]
    rows.push(next)
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      next.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      )
    }
  }
  return at(from.length, to.length)
}
