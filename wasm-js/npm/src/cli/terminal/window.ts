import { type Cell, cells, widthOf } from './cells.js'

/** The part of a line around a range, as it is shown. */
export interface Window {
  readonly shown: string
  /** How many columns stand in front of the range. */
  readonly indent: number
  /** How many columns the range takes; at least one. */
  readonly marked: number
}

/** How much of a line is looked at on each side: a file can be one line of many megabytes. */
const REACH = 1000

/** Columns that the rest of the line gets beside a long range. */
const CONTEXT = 20

/** The line in which a range begins, cut so that it fits and the range is seen. */
export function windowAround(text: string, from: number, to: number, columns: number): Window {
  const line = lineAt(text, from, to)
  const rangeEnd = Math.min(to, line.end)
  const ahead: Piece = { cells: cells(text.slice(line.start, from)), whole: line.startIsWhole }
  const behind: Piece = { cells: cells(text.slice(rangeEnd, line.end)), whole: line.endIsWhole }
  const range = takeFirst({ cells: cells(text.slice(from, rangeEnd)), whole: true }, columns - CONTEXT)
  const marked = Math.max(1, widthOf(range))
  const room = columns - marked
  const front = takeLast(ahead, Math.max(Math.floor(room / 2), room - widthOf(behind.cells)))
  const back = takeFirst(behind, room - widthOf(front))
  const shown = [...front, ...range, ...back].map((cell) => cell.text).join('').trimEnd()
  return { shown, indent: widthOf(front), marked }
}

interface Line {
  readonly start: number
  readonly end: number
  /** Whether the line begins there, and is not only looked at from there on. */
  readonly startIsWhole: boolean
  readonly endIsWhole: boolean
}

function lineAt(text: string, from: number, to: number): Line {
  const lookFrom = Math.max(0, from - REACH)
  const lookTo = Math.min(to, from + REACH) + REACH
  const before = text.slice(lookFrom, from).lastIndexOf('\n')
  const after = text.slice(from, lookTo).indexOf('\n')
  const end = after === -1 ? Math.min(lookTo, text.length) : from + after
  return {
    start: lookFrom + before + 1,
    end: end > from && text[end - 1] === '\r' ? end - 1 : end,
    startIsWhole: before !== -1 || lookFrom === 0,
    endIsWhole: after !== -1 || lookTo >= text.length,
  }
}

/** A part of a line. */
interface Piece {
  readonly cells: readonly Cell[]
  /** Whether there is no more of it. */
  readonly whole: boolean
}

const CUT: Cell = { text: '…', width: 1 }

function takeFirst({ cells, whole }: Piece, columns: number): readonly Cell[] {
  if (whole && widthOf(cells) <= columns) return cells
  const taken: Cell[] = []
  let left = columns - CUT.width
  for (const cell of cells) {
    left -= cell.width
    if (left < 0) break
    taken.push(cell)
  }
  return [...taken, CUT]
}

function takeLast({ cells, whole }: Piece, columns: number): readonly Cell[] {
  return takeFirst({ cells: cells.toReversed(), whole }, columns).toReversed()
}
