// One policy on every surface: the main agent, its subagents, and external workers in Node, Rust and Python, all under
// one live supervisor. What they decide, and what they ask, is the same.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'

import { NetworkPolicy } from 'pi-sandbox-policy'

import { foreseen } from './lib/approver.mjs'
import { destinations, POLICIES } from './lib/policies.mjs'
import { Agent, endAll, WORKERS, WorkerProgram } from './lib/programs.mjs'

/** So that all surfaces cannot be wrong in the same way. */
const KNOWN = [
  ['API.GITHUB.COM', 443, 'allow', 'rule', 0],
  ['evilapi.github.com', 443, 'review', 'unmatched'],
  ['api.github.com.attacker.net', 443, 'review', 'unmatched'],
  ['sub.githubusercontent.com', 80, 'allow', 'rule', 1],
  ['gist.githubusercontent.com', 80, 'deny', 'rule', 0],
  ['registry.npmjs.org', 443, 'allow', 'rule', 2],
  ['registry.npmjs.org', 80, 'review', 'unmatched'],
  ['0x1.1.257', 443, 'allow', 'rule', 3],
  ['[::ffff:101:101]', 443, 'allow', 'rule', 3],
  ['0x7f.1', 443, 'deny', 'not-public'],
  ['sub.Upper.Example', 443, 'allow', 'rule', 4],
  ['upper.example', 22, 'deny', 'rule', 2],
  ['upper.example', 0, 'review', 'unmatched'],
  ['localhost', 443, 'deny', 'not-public'],
  ['a\0.example', 443, 'deny', 'malformed-host'],
  ['bücher.example', 443, 'deny', 'malformed-host'],
]

afterEach(endAll)

for (const [name, network] of Object.entries(POLICIES)) {
  test(name, { timeout: 300_000 }, async () => {
    const asked = destinations(network)
    const agent = await Agent.start({ network, destinations: asked, subagents: [asked, asked] })
    const workers = Object.keys(WORKERS).map((kind) => new WorkerProgram(kind, agent).send(...asked))
    const external = await Promise.all(workers.map((worker) => worker.finish()))
    const ends = await Promise.all(workers.map(({ ended }) => ended))
    assert.deepEqual(ends, workers.map(() => 0), workers.map(({ errors }) => errors).join(''))
    const registered = await agent.workers()
    assert.deepEqual(await agent.close(), { end: 0, left: [] })

    // Byte for byte: the fingerprint, and every host, action, rule and answer.
    const policy = NetworkPolicy.fromTransport(network)
    const [own, ...subagents] = await agent.transcripts
    assert.ok(asked.length > 200)
    assert.equal(own.length, asked.length + 1)
    assert.equal(own[0], JSON.stringify({ fingerprint: policy.fingerprint }))
    subagents.forEach((transcript) => assert.deepEqual(transcript, own))
    external.forEach((transcript, at) => assert.deepEqual(transcript, own, workers[at].id))

    // Everybody asked what the policy leaves open, in order, and nothing else.
    const reviews = own.slice(1).map((line) => JSON.parse(line)).filter(({ action, port }) => action === 'review' && port !== 0)
    const questions = reviews.map(({ host, port }) => [policy.decide(host, port).host, port])
    assert.deepEqual(reviews.map(({ asked }) => asked), questions.map(([host, port]) => foreseen(host, port)))
    for (const id of ['agent', 'subagent-0', 'subagent-1', ...workers.map(({ id }) => id)]) {
      const own = agent.asked.filter(([asker]) => asker === id)
      assert.deepEqual(own.map(([, , ...question]) => question), questions, id)
    }
    assert.equal(agent.asked.length, questions.length * (3 + workers.length))
    assert.deepEqual(
      registered.map(({ registeredAt, exitedAt, ...worker }) => worker).sort(byId),
      workers.map(({ id, cwd }) => ({ id, cwd, state: 'exited', requests: questions.length })).sort(byId),
    )
    assert.deepEqual(agent.reported, [])
  })
}

test('what is known beforehand', () => {
  const network = POLICIES['a configuration file']
  const policy = NetworkPolicy.fromTransport(network)
  const asked = destinations(network).map(String)
  for (const [host, port, action, reason, index] of KNOWN) {
    assert.ok(asked.includes(`${host},${port}`), `nobody asks about ${host}:${port}`)
    const decision = policy.decide(host, port)
    assert.deepEqual([decision.action, decision.reason, decision.index], [action, reason, index], `${host}:${port}`)
  }
})

const byId = (one, other) => (one.id < other.id ? -1 : 1)
