// `node cold.mjs OUTPUT EMPTY FIRST COMPONENT FOLDER [--quick]`: fresh processes up to their first decision. EMPTY, FIRST
// and COMPONENT are native programs, FOLDER a place for what is compiled ahead of time.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Part, progress } from './lib/part.mjs'
import { median, now } from './lib/race.mjs'

const [output, empty, first, component, folder, ...flags] = process.argv.slice(2)
const ROUNDS = flags.includes('--quick') ? 15 : 41

const node = (name, file) => ({ name, command: [process.execPath, startup(file)] })
const precompiled = join(folder, 'precompiled')
const GROUPS = [
  [
    node('Node.js: empty', 'empty.mjs'),
    node('Node.js: `import` of the package, first decision', 'policy.mjs'),
    node('Node.js: `require` of the package, first decision', 'policy.cjs'),
    node('Node.js: `import` of SRT', 'srt.mjs'),
    node("Node.js: `import` of SRT's filter alone, first decision", 'srt-filter.mjs'),
  ],
  [
    { name: 'native: empty', command: [empty] },
    { name: 'native: core, first decision', command: [first] },
    { name: 'policy-host: precompiled component, first decision', command: [component, 'precompiled', precompiled] },
    { name: 'policy-host: component compiled at start, first decision', command: [component, 'compile'] },
  ],
]

start({ name: 'compiling ahead of time', command: [component, 'prepare', precompiled] })
const part = new Part('cold', 'Cold start')
const rows = []
for (const group of GROUPS) {
  progress(`cold: ${group.length} kinds of process`)
  const times = group.map(() => [])
  // The first round fills the caches of the disk.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (let turn = 0; turn < group.length; turn += 1) {
      const at = (turn + round) % group.length
      const time = start(group[at])
      if (round > 0) times[at].push(time)
    }
  }
  const beyond = times.map(own => median(own.map((time, round) => time - times[0][round])))
  group.forEach(({ name }, at) => rows.push([name, median(times[at]), at === 0 ? null : beyond[at]]))
  if (group === GROUPS[0]) {
    part.atMost('cold start: `import` of the package and a first decision, beyond an empty process', 15e6, 'time', beyond[1])
    part.atMost(
      'cold start: the same against `import` of SRT, both beyond an empty process',
      0.1,
      'ratio',
      beyond[1] / beyond[3],
      `SRT ${(beyond[3] / 1e6).toFixed(0)} ms`,
    )
  }
}
part.section(
  'From a fresh process to its end after one decision',
  `Median of ${ROUNDS} processes of each kind, which take turns; ten entries. *Beyond empty* is the median of the ` +
    'differences to the empty process of the same round.',
  [
    ['process', 'text'],
    ['time', 'time'],
    ['beyond empty', 'time'],
  ],
  rows,
)
part.write(output)

function start({ name, command: [program, ...rest] }) {
  const started = now()
  const { status, error } = spawnSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] })
  const time = now() - started
  if (error !== undefined || status !== 0) throw new Error(`${name} failed: ${error?.message ?? `exit ${status}`}`)
  return time
}

function startup(file) {
  return fileURLToPath(new URL(`startups/${file}`, import.meta.url))
}
