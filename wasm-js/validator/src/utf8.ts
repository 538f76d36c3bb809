// Files are read as UTF-8 or not at all: a repaired text would not be what the sandbox reads.

export class NotText extends Error {}

/** The text of these bytes. A byte order mark is kept: the sandbox sees it too. */
export function decodeUTF8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff])) {
      throw new NotText('it is UTF-16: save it as UTF-8')
    }
    throw new NotText(`it is not UTF-8: the first wrong byte is number ${validUpTo(bytes)}, counted from 0`)
  }
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte)
}

/** How many bytes at the beginning are UTF-8. */
function validUpTo(bytes: Uint8Array): number {
  let good = 0
  let bad = bytes.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1
    if (beginsText(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  // A character that is cut off counts as good so far.
  while (good > 0 && !isText(bytes.subarray(0, good))) good -= 1
  return good
}

function isText(bytes: Uint8Array): boolean {
  return decodes(bytes, false)
}

/** More bytes could follow. */
function beginsText(bytes: Uint8Array): boolean {
  return decodes(bytes, true)
}

function decodes(bytes: Uint8Array, stream: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream })
    return true
  } catch {
    return false
  }
}

/** Index of the first half of a surrogate pair without its other half; -1 in a text without one. */
export function loneSurrogate(text: string): number {
  return text.search(/\p{Surrogate}/u)
}
