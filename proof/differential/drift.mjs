// How far two runtimes differ about the original's canonical form: the hosts that `compare.mjs --hosts-seen` wrote down.
//
//   node drift.mjs FILE FILE

import { readFileSync } from 'node:fs'

const [older, newer] = process.argv.slice(2).map((file) => new Map(JSON.parse(readFileSync(file, 'utf8'))))
const both = [...older].filter(([host]) => newer.has(host))
const drifted = both.filter(([host, canonical]) => newer.get(host) !== canonical)
console.log(`runtime drift: of ${both.length} hosts with an ACE label, the original brings ${drifted.length} to another form on the newer Node.js; the core none`)
for (const [host, canonical] of drifted.slice(0, 3)) console.log(`  ${host}: ${canonical}, ${newer.get(host)}`)
if (drifted.length === 0 && both.length >= 500) {
  console.error('no host drifts: the two runtimes have become alike, or the generator no longer meets the drift')
  process.exitCode = 1
}
