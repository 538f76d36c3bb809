// Lays a JSON text out anew by changing white space alone: every other character stays, so no key,
// no repeated key and no spelling is lost, and marks and the cursor keep their places.

export interface Change {
  readonly from: number
  readonly to: number
  readonly insert: string
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g
const INDENT = '  '

/** The changes for a text that is JSON. */
export function formatChanges(text: string): readonly Change[] {
  const changes: Change[] = []
  let end = 0
  let depth = 0
  let previous = ''
  const gap = (to: number, insert: string) => {
    if (text.slice(end, to) !== insert) changes.push({ from: end, to, insert })
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (isClosing(token)) depth -= 1
    gap(index, between(previous, token, depth))
    if (isOpening(token)) depth += 1
    previous = token
    end = index + token.length
  }
  gap(text.length, previous === '' ? '' : '\n')
  return changes
}

function between(left: string, right: string, depth: number): string {
  if (left === '' || right === ',' || right === ':') return ''
  if (isOpening(left) && isClosing(right)) return ''
  if (left === ':') return ' '
  return `\n${INDENT.repeat(depth)}`
}

const isOpening = (token: string) => token === '{' || token === '['
const isClosing = (token: string) => token === '}' || token === ']'
