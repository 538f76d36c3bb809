import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from '../package.mjs'
import { requests } from '../vectors.mjs'

const { policy: api } = await load()
const { NetworkPolicy, compare } = api

const make = (allowedDomains, deniedDomains = []) => NetworkPolicy.fromTransport({ allowedDomains, deniedDomains })

function assertFrozen(value) {
  if (typeof value !== 'object' || value === null) return
  assert.ok(Object.isFrozen(value))
  Object.values(value).forEach(assertFrozen)
}

test('an explanation has the decision, the steps, what matches and what nearly does', () => {
  const policy = make(['*.github.com', 'api.github.com:443'], ['gist.github.com'])
  assert.deepEqual(policy.explain('API.GitHub.com.', 443), {
    decision: policy.decide('API.GitHub.com.', 443),
    summary: '`api.github.com` at port 443 is allowed by `*.github.com` at allowedDomains[0]',
    steps: [
      { step: 'lower-case', host: 'api.github.com.', message: 'in lower case' },
      { step: 'dot', host: 'api.github.com', message: 'one dot at the end removed' },
    ],
    matches: [
      { list: 'allowedDomains', index: 0, pattern: '*.github.com', decides: true },
      { list: 'allowedDomains', index: 1, pattern: 'api.github.com:443', decides: false },
    ],
    matchesOmitted: 0,
    misses: [],
    missesOmitted: 0,
  })
  const { decision, misses } = policy.explain('github.com', 443)
  assert.equal(decision.action, 'review')
  assert.equal(misses[0].kind, 'apex')
  assert.equal(misses[0].suggestion, 'github.com')
})

test('an explanation is frozen and its decision is that of decide', () => {
  for (const { network, host, port } of requests('explain', 'explain')) {
    const policy = NetworkPolicy.fromTransport(network)
    const explanation = policy.explain(host, port)
    assertFrozen(explanation)
    assert.deepEqual(explanation.decision, policy.decide(host, port))
  }
})

test('two policies are compared with a witness for every difference', () => {
  const [older, newer] = [make(['a.example', 'b.example']), make(['a.example'], ['c.example'])]
  const comparison = compare(older, newer)
  assertFrozen(comparison)
  assert.equal(comparison.relation, 'narrower')
  assert.deepEqual(comparison.wider, [])
  assert.deepEqual(comparison.narrower.map(({ host, old, new: now }) => [host, old, now]), [
    ['c.example', 'review', 'deny'],
    ['b.example', 'allow', 'review'],
  ])
  for (const { host, port, old, new: now } of comparison.narrower) {
    assert.deepEqual([older.check(host, port), newer.check(host, port)], [old, now])
  }
  assert.equal(newer.isNoWiderThan(older), true)
  assert.equal(older.isNoWiderThan(newer), false)
  assert.equal(older.isNoWiderThan(older), true)
})

test('what is no host, port or policy is an error, whatever it looks like', () => {
  const policy = make(['a.example'])
  const lookalikes = [Object.create(NetworkPolicy.prototype), { ...policy.toJSON() }, new Proxy(policy, {}), null, undefined, 5, 'a']
  for (const value of lookalikes) {
    assert.throws(() => compare(value, policy), TypeError)
    assert.throws(() => compare(policy, value), TypeError)
    assert.throws(() => policy.isNoWiderThan(value), TypeError)
  }
  for (const port of [65979, -1, 443.9, NaN]) assert.throws(() => policy.explain('a.example', port), RangeError)
  for (const port of ['443', [443], 2n, true, undefined]) assert.throws(() => policy.explain('a.example', port), TypeError)
  for (const host of [5, {}, null, Symbol('s')]) assert.throws(() => policy.explain(host, 443), TypeError)
  assert.equal(policy.explain('\ud800.example', 443).decision.reason, 'malformed-host')
  const { explain, isNoWiderThan } = policy
  assert.throws(() => explain('a.example', 443), TypeError)
  assert.throws(() => isNoWiderThan(policy), TypeError)
})
