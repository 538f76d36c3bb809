// The core through a host of the conformance runner: requests in, answers out, in batches. Slower than the npm package
// and without JavaScript values, but of any host.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const RUNNER = fileURLToPath(new URL('../../host-tests/run', import.meta.url))
const CAPABILITY = '0123456789abcdef'.repeat(4)

/** The answer lines of a host to request lines. */
export function ask(host, lines) {
  const { stdout, stderr, status, error } = spawnSync(RUNNER, [host], { input: lines.map((line) => `${line}\n`).join(''), maxBuffer: 2 ** 31 })
  if (error || status !== 0) throw new Error(`host-tests/run ${host} failed: ${error?.message ?? stderr.toString().trim()}`)
  const answers = stdout.toString().split('\n').slice(0, -1)
  if (answers.length !== lines.length) throw new Error(`${host} answered ${answers.length} of ${lines.length} requests`)
  return answers
}

/** The request that puts a case to a host; undefined when the runner has no op for it. */
export function request(test) {
  return REQUESTS[test.kind](test)
}

const only = (list, entry) => ({ allowedDomains: [], deniedDomains: [], [list]: [entry] })
const frame = (type, id, more = {}) => JSON.stringify({ version: 1, capability: '$CAP', id, type, workerId: 'w', cwd: '/', ...more })

const REQUESTS = {
  host: ({ host }) => ({ op: 'canonicalize-host', host }),
  entry: ({ list, entry }) => ({ op: 'decode-transport', text: JSON.stringify(only(list, entry)) }),
  match: ({ list, entry, host, port }) => ({ op: 'decide', network: only(list, entry), host, port }),
  decide: ({ network, host, port }) => ({ op: 'decide', network, host, port }),
  text: ({ text }) => ({ op: 'decode-transport', text }),
  address: ({ address }) => ({ op: 'is-public-address', address }),
  value: () => undefined,
  compat: () => undefined,
  supervise: ({ network, host, port, recheck, answer }) => ({
    op: 'supervise',
    network,
    capability: CAPABILITY,
    recheck,
    steps: [{ frame: frame('register', 'r') }, { frame: frame('network', 'n', { hostname: host, port }), answer }],
  }),
}

const READ = {
  host: ({ host, malformed }) => ({ valid: !malformed, canonical: host ?? null }),
  entry: (answer, { list, entry }) => ({ valid: answer[list].length === 1 && answer[list][0] === entry && answer.deniedDomains.length + answer.allowedDomains.length === 1 }),
  match: ({ reason, list, pattern }, test) => ({ match: reason === 'rule' && list === test.list && pattern === test.entry }),
  decide: (answer) => answer,
  text: (answer) => answer,
  address: (answer) => answer,
  supervise: ({ error, replies, asks }) => (error ? { error } : { asked: asks[0]?.hostname ?? null, allow: JSON.parse(replies[1]).action === 'allow' }),
}

export class RunnerCore {
  constructor(host) {
    this.host = host
  }

  /** Answers in the shape of `original.mjs`; undefined where the runner has no op. */
  answers(tests) {
    const asked = tests.filter((test) => request(test) !== undefined)
    const lines = ask(this.host, asked.map((test) => JSON.stringify(request(test))))
    const byTest = new Map(asked.map((test, at) => [test, READ[test.kind](JSON.parse(lines[at]), test)]))
    return tests.map((test) => byTest.get(test))
  }
}
