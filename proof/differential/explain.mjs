// Compares the two answers to a case, and finds the differences of the ledger that make them one.

import { isDeepStrictEqual } from 'node:util'
import { answer } from './original.mjs'

/** Those of the ledger that a comparison with the original can meet; D12 is about files. */
export const LEDGER = ['D1', 'D2', 'D3', 'D4', 'D5', 'D6', 'D7', 'D8', 'D9', 'D10', 'D11']

/** Whether the members that both have are equal: an engine may not be able to tell them all. */
function agree(original, core) {
  const shared = Object.keys(core).filter((key) => key in original)
  return shared.length > 0 && shared.every((key) => isDeepStrictEqual(original[key], core[key]))
}

/**
 * What the core's answer to a case is worth. `obeys`: it is the original's with the whole ledger in force. `why`: the fewest
 * differences that make the original give it, none when they agree; null when no differences do.
 */
export function judge(test, core) {
  const obeys = agree(answer(test, ALL), core)
  return { obeys, why: agree(answer(test), core) ? [] : explanation(test, core) }
}

const ALL = new Set(LEDGER)

function explanation(test, core) {
  for (let size = 1; size <= 3; size += 1) {
    for (const some of combinations(LEDGER, size)) {
      if (agree(answer(test, new Set(some)), core)) return some
    }
  }
  return agree(answer(test, ALL), core) ? LEDGER : null
}

function* combinations(items, size, from = 0) {
  if (size === 0) yield []
  else for (let at = from; at < items.length; at += 1) for (const rest of combinations(items, size - 1, at + 1)) yield [items[at], ...rest]
}
