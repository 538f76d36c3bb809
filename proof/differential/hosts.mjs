// The hosts of the core against one another: the same requests to every one, byte for byte the same answers.
//
//   node hosts.mjs --cases N --seed S [--only NAME,NAME]

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LEDGER } from './explain.mjs'
import { Generator } from './generate.mjs'
import { minimise } from './minimise.mjs'
import { isEntry } from './original.mjs'
import { ask, request } from './runner-core.mjs'

const BATCH = 20_000

const { values: options } = parseArgs({
  options: { cases: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' }, only: { type: 'string' } },
})
const cases = Number(options.cases)
const seed = Number(options.seed)

const runner = fileURLToPath(new URL('../../host-tests/run', import.meta.url))
const usable = spawnSync(runner, ['--list']).stdout.toString().trim().split('\n')
const hosts = options.only ? options.only.split(',') : usable
const [first, ...others] = hosts
if (others.length === 0) throw new Error(`one host alone has nothing to be compared with: ${hosts}`)

const BAD_REQUEST = '{"error":"bad request"}'
const none = { allowedDomains: [], deniedDomains: [] }
/** A good request of each op: a host that calls it bad does not offer the op yet. */
const PROBES = [
  { op: 'parse-config', text: '{}' },
  { op: 'validate-config', text: '{}' },
  { op: 'explain', network: none, host: 'a.b', port: 443 },
  { op: 'compare', old: none, new: none },
  { op: 'supervise', network: none, capability: 'a'.repeat(64), steps: [] },
]
const missing = new Map(
  hosts.map((host) => {
    const answers = ask(host, PROBES.map((probe) => JSON.stringify(probe)))
    return [host, PROBES.filter((_, at) => answers[at] === BAD_REQUEST).map(({ op }) => op)]
  }),
)
for (const [host, ops] of missing) if (ops.length > 0) console.log(`${host} does not offer ${ops.join(', ')}: left out there`)

const generator = new Generator(seed)
// By the ledger: what the original alone takes depends on the runtime, and the cases must not.
const isGood = (entry, list) => isEntry(entry, list, new Set(LEDGER))
let different = 0
let done = 0
while (done < cases && different === 0) {
  const requests = []
  while (requests.length < Math.min(BATCH, cases - done)) {
    const made = further(generator.next(isGood))
    if (made !== undefined) requests.push(made)
  }
  done += requests.length
  const lines = requests.map((made) => JSON.stringify(made))
  const expected = ask(first, lines)
  for (const host of others) {
    const answers = ask(host, lines)
    const left = [...missing.get(first), ...missing.get(host)]
    const differs = (answer, index) => answer !== expected[index] && !left.includes(requests[index].op)
    const at = answers.findIndex(differs)
    if (at === -1) continue
    different += 1
    const count = answers.filter(differs).length
    const small = minimise(requests[at], (made) => {
      const line = [JSON.stringify(made)]
      return ask(first, line)[0] !== ask(host, line)[0]
    })
    const line = [JSON.stringify(small)]
    console.error(`${host} differs from ${first} in ${count} of ${lines.length} answers, such as`)
    console.error(`  request ${line}\n  ${first} ${ask(first, line)}\n  ${host} ${ask(host, line)}`)
  }
}
console.log(`${done} requests, seed ${seed}: ${hosts.join(', ')}${different === 0 ? ' answer with the same bytes' : ''}`)
process.exitCode = different === 0 ? 0 : 1

/** The request of a case, or one of the runner's other ops made of the same parts. */
function further(test) {
  const r = generator.random
  const text = () => test.text ?? JSON.stringify({ network: test.network ?? { allowedDomains: [test.entry ?? test.host ?? test.address] } })
  return r.weighted([
    [12, () => request(test)],
    [1, () => ({ op: 'parse-config', text: text() })],
    [1, () => ({ op: 'validate-config', text: text() })],
    [1, () => ({ op: 'fingerprint', network: test.network ?? test.policy ?? null })],
    [1, () => (test.network ? { op: 'explain', network: test.network, host: test.host, port: test.port } : undefined)],
    [1, () => (test.network ? { op: 'compare', old: test.network, new: generator.policy(isGood) } : undefined)],
    [1, () => ({ op: 'normalize-public-hostname', host: test.host ?? test.entry ?? test.address ?? '' })],
    [1, () => ({ op: 'check-addresses', addresses: r.list(0, 3, () => generator.address()) })],
    [1, () => ({ op: 'matching-preflight-prefix', command: generator.damage(` ${test.host ?? 'git'} push`), prefixes: r.list(0, 3, () => (test.host ?? 'git').slice(0, r.below(4))) })],
    [1, () => ({ op: 'is-unix-socket-permission-error', stderr: generator.damage(r.pick(['Operation not permitted: socket', 'operation NOT permitted (ipc)', 'connect: permitted'])) })],
  ])
}
