// The core against the JavaScript original: `cargo xtask differential` runs this.
//
//   node compare.mjs --cases N --seed S (--package FOLDER | --host NAME) [--hosts-seen FILE]
//
// Prints one line a difference and how many cases it explains. Fails on a case that no difference explains, made small,
// and on a difference that no case meets.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Generator } from './generate.mjs'
import { answer, isEntry } from './original.mjs'
import { LEDGER, judge } from './explain.mjs'
import { minimise } from './minimise.mjs'
import { RunnerCore } from './runner-core.mjs'

const BATCH = 10_000
const MAX_SHOWN = 5

const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    package: { type: 'string' },
    host: { type: 'string' },
    'hosts-seen': { type: 'string' },
  },
})
const cases = Number(options.cases)
const seed = Number(options.seed)
const core = await chosen()

async function chosen() {
  if (options.host) return new RunnerCore(options.host)
  if (!options.package) throw new Error('say --package FOLDER or --host NAME')
  const { NpmCore, load } = await import('./npm-core.mjs')
  return new NpmCore(await load(options.package))
}

const fails = (test) => {
  const [found] = core.answers([test])
  if (found === undefined) return false
  const { obeys, why } = judge(test, found)
  return !obeys || why === null
}

const counts = new Map(LEDGER.map((id) => [id, 0]))
const kinds = new Map()
const failures = []
const seen = new Map()
let agreed = 0
let explained = 0
let together = 0
let skipped = 0

const generator = new Generator(seed)
// By the ledger: what the original alone takes depends on the runtime, and the cases must not.
const isGood = (entry, list) => isEntry(entry, list, new Set(LEDGER))
for (let done = 0; done < cases && failures.length < MAX_SHOWN; done += BATCH) {
  const tests = Array.from({ length: Math.min(BATCH, cases - done) }, () => generator.next(isGood))
  const answers = core.answers(tests)
  for (const [at, test] of tests.entries()) {
    const found = answers[at]
    if (found === undefined) {
      skipped += 1
      continue
    }
    kinds.set(test.kind, (kinds.get(test.kind) ?? 0) + 1)
    if (options['hosts-seen'] && test.kind === 'host' && /xn--/i.test(test.host)) seen.set(test.host, answer(test).canonical)
    const { obeys, why } = judge(test, found)
    if (why === null || !obeys) {
      if (failures.length < MAX_SHOWN) failures.push(test)
    } else if (why.length === 0) {
      agreed += 1
    } else {
      explained += 1
      if (why.length > 1) together += 1
      for (const id of why) counts.set(id, counts.get(id) + 1)
    }
  }
}

if (options['hosts-seen']) writeFileSync(options['hosts-seen'], JSON.stringify([...seen]))

const total = agreed + explained + failures.length
console.log(`${total} cases, seed ${seed}, Node.js ${process.version}: ${agreed} agree, ${explained} differ as the ledger says (${together} by more than one difference)`)
console.log(`  ${[...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ')}${skipped ? `; ${skipped} without an op of the runner` : ''}`)
for (const [id, count] of counts) console.log(`  ${id.padEnd(4)}${String(count).padStart(8)}`)

for (const test of failures) {
  const small = minimise(test, fails)
  console.error(`unexplained: ${JSON.stringify(small)}`)
  console.error(`  the original  ${JSON.stringify(answer(small))}`)
  console.error(`  by the ledger ${JSON.stringify(answer(small, new Set(LEDGER)))}`)
  console.error(`  the core      ${JSON.stringify(core.answers([small])[0])}`)
}
// What cannot be asked cannot be met: the runner has no JavaScript values. A short run need not meet everything.
const NEEDS = { D5: 'supervise', D7: 'value', D9: 'supervise' }
const unmet = [...counts].filter(([id, count]) => count === 0 && (!NEEDS[id] || kinds.has(NEEDS[id]))).map(([id]) => id)
if (unmet.length > 0 && cases >= 20_000) console.error(`no case met ${unmet.join(', ')}: the ledger or the generator is out of date`)
process.exitCode = failures.length > 0 || (unmet.length > 0 && cases >= 20_000) ? 1 : 0
