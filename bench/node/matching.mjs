// `node matching.mjs OUTPUT WORKLOADS PACER [--quick]`: the npm package beside SRT's filter and the native core.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { NetworkPolicy } from 'pi-sandbox-policy'

import { Expressions, Sets } from './lib/by-hand.mjs'
import { filter } from './lib/filter.mjs'
import { Pacer, stayOnOneProcessor } from './lib/pacer.mjs'
import { Part, progress } from './lib/part.mjs'
import { profile } from './lib/profile.mjs'
import { Lane, race } from './lib/race.mjs'

const [output, workloads, pacer, ...flags] = process.argv.slice(2)
const quick = flags.includes('--quick')
const BUDGET = quick ? 600 : 3_000
const SIZES = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
/** A decision of SRT takes too long with more entries. */
const MOST_FOR_SRT = 100_000
/** An expression of more entries takes the engine minutes. */
const MOST_FOR_EXPRESSIONS = 1_000
/** `check` is to be at least this many times as fast as SRT. */
const CHECK_TARGETS = new Map([[10, 10], [100, 60], [1_000, 600], [100_000, 50_000]])
const MANY = 1_000
const PROFILED = new Set([10, 1_000, 100_000])

const pinned = stayOnOneProcessor()
const number = new Intl.NumberFormat('en-US')
const part = new Part('node', `Node.js ${process.versions.node}`)
const rows = []
const byHandRows = []
const manyRows = []
const profileRows = []

for (const size of SIZES) {
  progress(`node: ${number.format(size)} entries`)
  const { queries, ...network } = readWorkload(size)
  const policy = NetworkPolicy.fromTransport(network)
  const outcomes = await race(
    [
      new Lane('check', queries, (queries, from, to) => {
        let sum = 0
        for (let at = from; at < to; at += 1) sum += policy.check(queries[at].host, queries[at].port).length
        return sum
      }),
      new Lane('decide', queries, (queries, from, to) => {
        let sum = 0
        for (let at = from; at < to; at += 1) sum += policy.decide(queries[at].host, queries[at].port).port
        return sum
      }),
    ],
    BUDGET,
  )
  const [check, decide] = outcomes
  let srt
  if (size <= MOST_FOR_SRT) {
    // With long lists a batch of SRT is a few hosts, and takes a second.
    const smallest = size < 100_000 ? 32 : 16
    const against = await race(
      [
        new Lane('srt', queries, (queries, from, to) => {
          let sum = 0
          for (let at = from; at < to; at += 1) sum += filter(network, queries[at].host, queries[at].port).length
          return sum
        }, { smallest }),
        new Lane('check', queries, (queries, from, to) => {
          let sum = 0
          for (let at = from; at < to; at += 1) sum += policy.check(queries[at].host, queries[at].port).length
          return sum
        }),
        new Lane('decide', queries, (queries, from, to) => {
          let sum = 0
          for (let at = from; at < to; at += 1) sum += policy.decide(queries[at].host, queries[at].port).port
          return sum
        }),
      ],
      BUDGET,
    )
    const sample = queries.slice(0, size <= 1_000 ? queries.length : 64)
    const same = sample.filter(({ host, port }) => policy.check(host, port) === filter(network, host, port))
    srt = { ns: against[0].ns, check: 1 / against[1].ratio, decide: 1 / against[2].ratio, same: same.length / sample.length }
    const wanted = CHECK_TARGETS.get(size)
    if (wanted !== undefined) {
      part.atLeast(`node: \`check\` against SRT, ${number.format(size)} entries`, wanted, 'ratio', srt.check)
    }
    if (size === 10) part.atLeast('node: `decide` against SRT, 10 entries', 7, 'ratio', srt.decide)
  }
  rows.push([size, check.ns, decide.ns, srt?.ns ?? null, srt?.check ?? null, srt?.decide ?? null, srt?.same ?? null])
  byHandRows.push(await againstByHand(size, network, policy, queries))
  manyRows.push(await many(size, policy, queries))
  if (PROFILED.has(size)) profileRows.push(...(await profiles(size, policy, queries)))
}

part.section(
  'One decision',
  'The npm package beside the filter of `@anthropic-ai/sandbox-runtime` 0.0.73 (SRT) in one process: its own exported ' +
    'functions, called as its sandbox manager calls them, without its logging and its promise. Our times include the ' +
    'checks of all arguments. *Times as fast* are medians of ratios within rounds. *Same answer*: SRT asks about ' +
    'addresses that we deny.',
  [
    ['entries', 'count'],
    ['`check`', 'time'],
    ['`decide`', 'time'],
    ['SRT', 'time'],
    ['`check`: times as fast', 'ratio'],
    ['`decide`: times as fast', 'ratio'],
    ['same answer', 'part'],
  ],
  rows,
)
part.section(
  'What one could write by hand',
  'A `Set` look-up for the host and each parent domain, and one regular expression for each list: `check` against ' +
    'them. Both only lower-case the host and drop its dot; they check no host, know no ports and no address in another ' +
    'spelling, and so are **no** replacement.',
  [
    ['entries', 'count'],
    ['`check`', 'time'],
    ['sets', 'time'],
    ['`check` to sets', 'ratio'],
    ['regular expressions', 'time'],
    ['`check` to expressions', 'ratio'],
  ],
  byHandRows,
)
part.section(
  'Many decisions in one call',
  `\`decideMany\` of ${number.format(MANY)} hosts, per host, against \`decide\` of the core in a native process that ` +
    `takes turns with this one${pinned ? ', on the same processor' : ''}.`,
  [
    ['entries', 'count'],
    ['native `decide`', 'time'],
    ['`decideMany`, per host', 'time'],
    ['ratio', 'ratio'],
    ['`decide` one by one', 'time'],
    ['ratio', 'ratio'],
  ],
  manyRows,
)
part.section(
  'Where the time goes',
  'By the engine\'s own profiler, which finds a function about every 100 µs. *JavaScript* checks the arguments, writes the ' +
    'host, makes the decision and freezes it, and is the loop that asks. All shares are of the whole; the module\'s *hottest ' +
    'function* reads the host and begins to look it up.',
  [
    ['entries', 'count'],
    ['asked with', 'text'],
    ['the module', 'part'],
    ['its hottest function', 'part'],
    ['JavaScript', 'part'],
    ['garbage collection', 'part'],
    ['other', 'part'],
  ],
  profileRows,
)
part.write(output)

async function profiles(size, policy, queries) {
  const hosts = queries.slice(0, MANY).map(query => query.host)
  const ports = queries.slice(0, MANY).map(query => query.port)
  const loops = {
    check: () => queries.forEach(({ host, port }) => policy.check(host, port)),
    decide: () => queries.forEach(({ host, port }) => policy.decide(host, port)),
    decideMany: () => policy.decideMany(hosts, ports),
  }
  const rows = []
  for (const [name, loop] of Object.entries(loops)) {
    const { module, hottest, javascript, collector, other } = await profile(loop, BUDGET)
    rows.push([size, `\`${name}\``, module, hottest, javascript, collector, other])
  }
  return rows
}

async function againstByHand(size, network, policy, queries) {
  const sets = new Sets(network)
  const lanes = [
    new Lane('check', queries, (queries, from, to) => {
      let sum = 0
      for (let at = from; at < to; at += 1) sum += policy.check(queries[at].host, queries[at].port).length
      return sum
    }),
    new Lane('sets', queries, (queries, from, to) => {
      let sum = 0
      for (let at = from; at < to; at += 1) sum += sets.check(queries[at].host).length
      return sum
    }),
  ]
  if (size <= MOST_FOR_EXPRESSIONS) {
    const expressions = new Expressions(network)
    lanes.push(
      new Lane('expressions', queries, (queries, from, to) => {
        let sum = 0
        for (let at = from; at < to; at += 1) sum += expressions.check(queries[at].host).length
        return sum
      }),
    )
  }
  const [check, bySets, byExpressions] = await race(lanes, BUDGET / 2)
  const expressionCells = byExpressions ? [byExpressions.ns, 1 / byExpressions.ratio] : [null, null]
  return [size, check.ns, bySets.ns, 1 / bySets.ratio, ...expressionCells]
}

async function many(size, policy, queries) {
  const whole = Math.floor(queries.length / MANY) * MANY
  const hosts = []
  const ports = []
  for (let start = 0; start < whole; start += MANY) {
    hosts.push(queries.slice(start, start + MANY).map(query => query.host))
    ports.push(queries.slice(start, start + MANY).map(query => query.port))
  }
  const native = new Pacer('native', pacer, size)
  const outcomes = await race(
    [
      native,
      new Lane('decideMany', queries, () => {
        let sum = 0
        for (let at = 0; at < hosts.length; at += 1) sum += policy.decideMany(hosts[at], ports[at]).length
        return sum
      }, { batch: whole }),
      new Lane('decide', queries, (queries, from, to) => {
        let sum = 0
        for (let at = from; at < to; at += 1) sum += policy.decide(queries[at].host, queries[at].port).port
        return sum
      }),
    ],
    BUDGET,
  )
  await native.end()
  const [core, batch, single] = outcomes
  if (size === 1_000) {
    part.atMost(
      `node: \`decideMany\` of ${number.format(MANY)} against native \`decide\`, per host, 1,000 entries`,
      2,
      'ratio',
      batch.ratio,
    )
  }
  return [size, core.ns, batch.ns, batch.ratio, single.ns, single.ratio]
}

function readWorkload(size) {
  const { allowedDomains, deniedDomains, queries } = JSON.parse(readFileSync(join(workloads, `${size}.json`), 'utf8'))
  return { allowedDomains, deniedDomains, queries }
}
