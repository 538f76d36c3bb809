import assert from 'node:assert/strict'
import { test } from 'node:test'

import { control } from '../failing-instance.mjs'
import { load } from '../package.mjs'

const { policy: api, compat } = await load()
const { NetworkPolicy, PolicyUnavailableError } = api

const LISTS = { allowedDomains: ['a.example'], deniedDomains: ['d.example'] }
const CONFIG = JSON.stringify({ network: LISTS })
const made = { before: NetworkPolicy.fromTransport(LISTS), other: NetworkPolicy.fromConfig(CONFIG) }

/** Calls with an export that traps, and sees that a new instance takes over and everything works. */
function failingOnce(name, call) {
  const count = control.instances.length
  control.failing.add(name)
  call()
  assert.ok(!control.failing.has(name), `${name} was not called`)
  assert.equal(control.instances.length, count + 1, 'one new instance')
  assertWorking()
}

function assertWorking() {
  for (const policy of Object.values(made)) {
    assert.equal(policy.check('a.example', 443), 'allow')
    assert.equal(policy.decide('D.example', 443).pattern, 'd.example')
    assert.deepEqual(
      policy.decideMany(['a.example', 'x.example'], [1, 2]).map(({ action }) => action),
      ['allow', 'review'],
    )
  }
}

test('a decision whose call traps is a denial', () => {
  assertWorking()
  failingOnce('policy_check', () => assert.equal(made.before.check('a.example', 443), 'deny'))
  failingOnce('policy_checkText', () => assert.equal(made.before.check('é', 443), 'deny'))
  failingOnce('policy_decide', () => {
    const decision = made.before.decide('a.example', 443)
    assert.deepEqual(decision, { action: 'deny', reason: 'malformed-host', host: null, port: 443 })
    assert.ok(Object.isFrozen(decision))
  })
  failingOnce('policy_decideText', () => assert.equal(made.before.decide('é', 443).action, 'deny'))
  failingOnce('policy_decideMany', () => {
    const decisions = made.before.decideMany(['a.example', 'd.example'], [443, 22])
    assert.deepEqual(decisions, [
      { action: 'deny', reason: 'malformed-host', host: null, port: 443 },
      { action: 'deny', reason: 'malformed-host', host: null, port: 22 },
    ])
  })
})

test('any other call that traps throws, and the next one works', () => {
  const fresh = () => NetworkPolicy.fromTransport({ allowedDomains: ['f.example'], deniedDomains: [] })
  const calls = {
    policy_fromConfig: () => NetworkPolicy.fromConfig(CONFIG),
    policy_fromTransport: () => fresh(),
    policy_fingerprint: () => made.before.fingerprint,
    policy_allowedDomains: () => new Map([[made.other.allowedDomains, 0]]),
    policy_deniedDomains: () => JSON.stringify(made.other),
    policy_explain: () => made.before.explain('a.example', 443),
    policy_isNoWiderThan: () => made.before.isNoWiderThan(made.other),
    compare: () => api.compare(made.before, made.other),
    validateConfig: () => api.validateConfig('{}'),
    locateEntry: () => api.locateEntry('{}', 'allowedDomains', 0),
    configSchema: () => api.configSchema(),
    parseConfig: () => api.parseConfig('{}'),
    canonicalizeHost: () => api.canonicalizeHost('a.b'),
    isValidHost: () => compat.isValidHost('a.b'),
    normalizePublicHostname: () => api.normalizePublicHostname('a.b'),
    isPublicAddress: () => api.isPublicAddress('8.8.8.8'),
    checkAddresses: () => api.checkAddresses(['8.8.8.8']),
    matchingPreflightPrefix: () => api.matchingPreflightPrefix('git', ['git']),
    isUnixSocketPermissionError: () => api.isUnixSocketPermissionError('x'),
    splitDomainPatternPort: () => compat.splitDomainPatternPort('a.b:1'),
    matchesDomainPattern: () => compat.matchesDomainPattern('a.b', 'a.b'),
    matchesDomainPatternWithPort: () => compat.matchesDomainPatternWithPort('a.b', 1, 'a.b'),
  }
  // What the working policies have kept is not asked for again: use new ones.
  made.before = NetworkPolicy.fromTransport(LISTS)
  made.other = NetworkPolicy.fromConfig(CONFIG)
  for (const [name, call] of Object.entries(calls)) {
    if (name.startsWith('policy_')) {
      made.before = NetworkPolicy.fromTransport(LISTS)
      made.other = NetworkPolicy.fromConfig(CONFIG)
    }
    failingOnce(name, () =>
      assert.throws(call, (error) => error instanceof PolicyUnavailableError && error.cause instanceof WebAssembly.RuntimeError, name),
    )
    call()
  }
})

test('the failure to make a policy again is a denial, and the time after that works', () => {
  control.failing.add('policy_check').add('policy_fromTransport')
  made.before.check('a.example', 443)
  assert.equal(made.before.check('a.example', 443), 'deny')
  assertWorking()
})

test('as long as no new instance can be made, everything is denied or thrown', () => {
  control.failing.add('policy_check')
  control.refused = 4
  assert.equal(made.before.check('a.example', 443), 'deny')
  assert.equal(made.before.check('a.example', 443), 'deny')
  assert.equal(control.refused, 1)
  assert.throws(() => api.parseConfig('{}'), PolicyUnavailableError)
  assertWorking()
})

test('a damaged memory allows nothing, and the next trap ends it', () => {
  for (const value of [0xff, 0x00, 0x7f]) {
    const { memory } = control.instances.at(-1).exports
    new Uint8Array(memory.buffer).fill(value)
    const fresh = () => NetworkPolicy.fromTransport({ allowedDomains: [], deniedDomains: ['*'] })
    for (let call = 0; call < 3; call += 1) {
      assert.notEqual(made.before.check('never.example', 443), 'allow')
      try {
        assert.equal(fresh().check('a.example', 443), 'deny')
      } catch (error) {
        assert.ok(error instanceof PolicyUnavailableError)
      }
    }
    // Damage that no call stumbled over yet: it need not trap, but nothing of it outlives a trap.
    control.failing.add('policy_check')
    assert.equal(made.before.check('a.example', 443), 'deny')
    control.failing.delete('policy_check')
    assertWorking()
  }
})
