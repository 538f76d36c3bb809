// The cases of the core, as far as a test of the package uses them.

import { readFileSync } from 'node:fs'

/** The requests of one operation in a file of `policy-core/vectors`. */
export function requests(file, op) {
  const lines = readFileSync(new URL(`../../../policy-core/vectors/${file}.jsonl`, import.meta.url), 'utf8').split('\n')
  const found = lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).request)
    .filter((request) => request?.op === op)
  if (found.length === 0) throw new Error(`no ${op} in ${file}.jsonl`)
  return found
}
