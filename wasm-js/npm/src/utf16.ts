// The core counts bytes of UTF-8; JavaScript strings count UTF-16 code units.

/** A range of a text in both countings, from 0; `end` and `to` are behind the last one. */
export interface SourceRange {
  /** First byte of the text in UTF-8. */
  readonly start: number
  /** Behind the last byte. */
  readonly end: number
  /** Index into the JavaScript string of the first character: `text.slice(from, to)` is the range. */
  readonly from: number
  /** Index behind the last character. */
  readonly to: number
}

/** The index for each of these byte offsets, found in one walk through a well-formed text. */
export function utf16Indexes(text: string, offsets: readonly number[]): (offset: number) => number {
  const indexes = new Map<number, number>()
  let byte = 0
  let index = 0
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    while (byte < offset && index < text.length) {
      const unit = text.charCodeAt(index)
      index += 1
      // The two halves of a surrogate pair are four bytes together.
      byte += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3
    }
    indexes.set(offset, index)
  }
  return (offset) => indexes.get(offset) ?? text.length
}
