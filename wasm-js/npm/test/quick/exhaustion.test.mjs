// The real thing: the stack and the memory are used up.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from '../package.mjs'

const { policy: api } = await load()
const { NetworkPolicy, PolicyUnavailableError } = api
const policy = NetworkPolicy.fromTransport({ allowedDomains: ['*.a.example:443'], deniedDomains: ['d.example'] })

/** Calls at every depth of the stack from the deepest upwards; tells how the calls ended. */
function onAFullStack(call, rounds = 5) {
  const endings = new Map()
  const count = (ending) => endings.set(ending, (endings.get(ending) ?? 0) + 1)
  const attempt = () => {
    try {
      count(call())
    } catch (error) {
      count(error)
    }
  }
  let calls = 0
  const descend = () => {
    try {
      descend()
    } catch {
      // Every frame on the way up has a little more room than the one before.
    }
    if (calls < 300) {
      calls += 1
      attempt()
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    calls = 0
    try {
      descend()
    } catch {
      // The last frame had no room left.
    }
  }
  return endings
}

test('check and decide on a full stack deny or throw, then answer', () => {
  for (const call of [
    () => policy.check('x.a.example', 443),
    () => policy.decide('x.a.example', 443).action,
    () => policy.decideMany(['x.a.example'], [443])[0].action,
    () => policy.check('never.example', 443),
  ]) {
    const expected = call()
    for (const ending of onAFullStack(call).keys()) {
      const denied = ending === 'deny' || ending === expected
      assert.ok(denied || ending instanceof RangeError || ending instanceof PolicyUnavailableError, String(ending))
    }
    assert.equal(call(), expected)
  }
})

test('making a policy on a full stack throws, then works', () => {
  const text = `{"network":{"deniedDomains":["d.example"]}}`
  for (const ending of onAFullStack(() => NetworkPolicy.fromConfig(text).check('d.example', 1)).keys()) {
    assert.ok(ending === 'deny' || ending instanceof RangeError || ending instanceof PolicyUnavailableError, String(ending))
  }
  assert.equal(NetworkPolicy.fromConfig(text).check('d.example', 1), 'deny')
  assert.equal(policy.check('x.a.example', 443), 'allow')
})

test('the largest text that may cross is read or fails, and the next call works', () => {
  const most = 64 * 1024 * 1024
  const many = `[${'[],'.repeat((most - 4) / 3)}[]]`
  try {
    api.parseConfig(many)
    assert.fail('an array is no configuration')
  } catch (error) {
    assert.ok(error instanceof PolicyUnavailableError || error instanceof api.ConfigError, String(error))
  }
  assert.equal(policy.check('x.a.example', 443), 'allow')
})

test('a policy of a hundred thousand entries', () => {
  const allowedDomains = Array.from({ length: 100_000 }, (_, index) => `*.host${index}.example`)
  const large = NetworkPolicy.fromTransport({ allowedDomains, deniedDomains: [] })
  assert.equal(large.decide('x.host99999.example', 443).index, 99_999)
  assert.equal(large.allowedDomains.length, 100_000)
})
