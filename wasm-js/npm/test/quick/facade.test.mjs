import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load, require } from '../package.mjs'

const { policy: api, inline } = await load()
const { NetworkPolicy } = api

const CONFIG = JSON.stringify({
  network: {
    allowedDomains: ['*.github.com:443', 'pypi.org', 'a_b'].slice(0, 2),
    deniedDomains: ['gist.github.com', '127.1'],
  },
})

test('decides with the rule that decided', () => {
  const policy = NetworkPolicy.fromConfig(CONFIG)
  assert.deepEqual(policy.decide('API.GitHub.com.', 443), {
    action: 'allow',
    reason: 'rule',
    list: 'allowedDomains',
    index: 0,
    pattern: '*.github.com:443',
    host: 'api.github.com',
    port: 443,
  })
  assert.deepEqual(policy.decide('0x7f.0.0.1', 1), {
    action: 'deny',
    reason: 'rule',
    list: 'deniedDomains',
    index: 1,
    pattern: '127.1',
    host: '127.0.0.1',
    port: 1,
  })
  assert.deepEqual(policy.decide('localhost', 0), { action: 'deny', reason: 'not-public', host: 'localhost', port: 0 })
  assert.deepEqual(policy.decide('a b', 65535), { action: 'deny', reason: 'malformed-host', host: null, port: 65535 })
  assert.deepEqual(policy.decide('example.org', 443), {
    action: 'review',
    reason: 'unmatched',
    host: 'example.org',
    port: 443,
  })
})

test('the members of a decision come in one order, and it is frozen', () => {
  const policy = NetworkPolicy.fromConfig(CONFIG)
  assert.equal(
    JSON.stringify(policy.decide('pypi.org', 443)),
    '{"action":"allow","reason":"rule","list":"allowedDomains","index":1,"pattern":"pypi.org","host":"pypi.org","port":443}',
  )
  assert.equal(JSON.stringify(policy.decide('é', 443)), '{"action":"deny","reason":"malformed-host","host":null,"port":443}')
  for (const host of ['pypi.org', 'gist.github.com', 'localhost', 'example.org', 'a b']) {
    assert.ok(Object.isFrozen(policy.decide(host, 443)), host)
  }
})

test('check is the action of decide, and decideMany the decisions in order', () => {
  const policy = NetworkPolicy.fromConfig(CONFIG)
  const hosts = ['API.github.com', 'gist.github.com', '127.0.0.1', 'é', 'x'.repeat(256), '', '.', '::ffff:1.2.3.4', '\ud800']
  const ports = hosts.map((_, index) => (index === 0 ? 443 : index))
  const decisions = policy.decideMany(hosts, ports)
  assert.deepEqual(
    decisions,
    hosts.map((host, index) => policy.decide(host, ports[index])),
  )
  assert.deepEqual(
    decisions.map(({ action }) => action),
    hosts.map((host, index) => policy.check(host, ports[index])),
  )
  assert.ok(decisions.every((decision) => Object.isFrozen(decision)))
  assert.deepEqual(policy.decideMany([], []), [])
})

test('decideMany answers a large batch as single calls do', () => {
  const policy = NetworkPolicy.fromTransport({ allowedDomains: ['*.Example.com'], deniedDomains: ['*:22'] })
  const hosts = Array.from({ length: 5_000 }, (_, index) => `${'L'.repeat(index % 60)}${index}.example.com.`)
  const ports = hosts.map((_, index) => (index % 7 === 0 ? 22 : 443))
  const decisions = policy.decideMany(hosts, ports)
  for (const [index, host] of hosts.entries()) assert.deepEqual(decisions[index], policy.decide(host, ports[index]))
})

test('decideMany answers odd hosts among good ones as single calls do', () => {
  const policy = NetworkPolicy.fromTransport({ allowedDomains: ['*.example.com'], deniedDomains: ['1.2.3.4'] })
  const hosts = ['a.example.com', '\ud83d', '\ude00', 'é.example.com', '', 'x'.repeat(70_000), 'é'.repeat(300), '0x01020304', 'B.example.com']
  const ports = hosts.map((_, index) => index)
  assert.deepEqual(policy.decideMany(hosts, ports), hosts.map((host, index) => policy.decide(host, index)))
  const plain = hosts.filter((host) => /^[ -~]{1,255}$/.test(host))
  assert.deepEqual(policy.decideMany(plain, plain.map(() => 80)), plain.map((host) => policy.decide(host, 80)))
})

test('the longest host and one longer', () => {
  const policy = NetworkPolicy.fromTransport({ allowedDomains: [], deniedDomains: ['*'] })
  assert.equal(policy.decide('a'.repeat(255), 1).reason, 'rule')
  assert.equal(policy.decide('a'.repeat(256), 1).reason, 'malformed-host')
  assert.equal(policy.decide('é'.repeat(255), 1).reason, 'malformed-host')
})

test('the canonical host of the host "." is empty', () => {
  const policy = NetworkPolicy.fromTransport({ allowedDomains: [], deniedDomains: ['*'] })
  assert.equal(policy.decide('.', 1).host, '')
  assert.equal(policy.decideMany(['.', 'A.b'], [1, 2])[0].host, '')
  assert.equal(policy.decideMany(['.', 'A.b'], [1, 2])[1].host, 'a.b')
})

test('port -0 is port 0', () => {
  const policy = NetworkPolicy.fromConfig('{}')
  assert.ok(Object.is(policy.decide('example.org', -0).port, 0))
  assert.ok(Object.is(policy.decideMany(['example.org'], [-0])[0].port, 0))
})

test('shows its lists, its fingerprint and its JSON', () => {
  const policy = NetworkPolicy.fromConfig(CONFIG)
  assert.deepEqual(policy.allowedDomains, ['*.github.com:443', 'pypi.org'])
  assert.deepEqual(policy.deniedDomains, ['gist.github.com', '127.1'])
  assert.ok(Object.isFrozen(policy.allowedDomains) && Object.isFrozen(policy.deniedDomains))
  assert.equal(
    JSON.stringify(policy),
    '{"allowedDomains":["*.github.com:443","pypi.org"],"deniedDomains":["gist.github.com","127.1"]}',
  )
  const { createHash } = require('node:crypto')
  assert.equal(policy.fingerprint, `sha256:${createHash('sha256').update(JSON.stringify(policy)).digest('hex')}`)
  assert.equal(NetworkPolicy.fromTransport(policy.toJSON()).fingerprint, policy.fingerprint)
  assert.equal(NetworkPolicy.fromTransportText(JSON.stringify(policy)).fingerprint, policy.fingerprint)
})

test('what is no policy denies everything', () => {
  for (const value of [undefined, null, 1, 'x', [], {}, { allowedDomains: ['a.b'] }, () => 0, Symbol('s'), 1n]) {
    const policy = NetworkPolicy.fromTransport(value)
    assert.equal(JSON.stringify(policy), '{"allowedDomains":[],"deniedDomains":["*"]}')
    assert.equal(policy.check('a.b', 443), 'deny')
  }
  const overwritten = '{"allowedDomains":[1e400],"allowedDomains":[],"deniedDomains":[]}'
  assert.deepEqual(NetworkPolicy.fromTransportText(overwritten).deniedDomains, ['*'])
  assert.deepEqual(NetworkPolicy.fromTransportText('\ud800').deniedDomains, ['*'])
})

test('a configuration is read, and a wrong one is a ConfigError', () => {
  assert.deepEqual(api.parseConfig('{}'), {
    subagents: { provider: 'builtin', externalWorkerIsolation: 'off' },
    filesystem: { additionalAllowRead: [] },
    network: { allowedDomains: [], deniedDomains: [] },
    hostIPC: { mode: 'off', preflightCommandPrefixes: [], retryOnUnixSocketError: false },
  })
  assert.throws(
    () => api.parseConfig('{"network":null}'),
    (error) =>
      error instanceof api.ConfigError &&
      error instanceof Error &&
      error.name === 'ConfigError' &&
      error.message === 'invalid pi-sandbox configuration: network must be an object' &&
      error.line === undefined,
  )
  for (const read of [api.parseConfig, NetworkPolicy.fromConfig]) {
    assert.throws(() => read('{\n "é" 1}'), { name: 'ConfigError', message: 'invalid JSON', line: 2, column: 6, offset: 8 })
  }
})

test('two calls share nothing', () => {
  const [first, second] = [api.parseConfig(CONFIG), api.parseConfig(CONFIG)]
  first.network.allowedDomains.push('evil.example')
  assert.deepEqual(second.network.allowedDomains, ['*.github.com:443', 'pypi.org'])
})

test('helpers', () => {
  assert.equal(api.canonicalizeHost('[0::1]'), '::1')
  assert.equal(api.canonicalizeHost('[a.com]'), null)
  assert.equal(api.canonicalizeHost('x'.repeat(1_000_000)), null)
  assert.equal(api.normalizePublicHostname(' Example.COM. '), 'example.com')
  assert.equal(api.normalizePublicHostname('localhost'), null)
  assert.equal(api.isPublicAddress('8.8.8.8'), true)
  assert.equal(api.isPublicAddress('10.0.0.1'), false)
  assert.equal(api.checkAddresses(['8.8.8.8', '1.1.1.1']), true)
  assert.equal(api.checkAddresses(['8.8.8.8', '::1']), false)
  assert.equal(api.checkAddresses([]), false)
  assert.equal(api.matchingPreflightPrefix(' git push ', ['gi', 'git', 'git push']), 'git')
  assert.equal(api.matchingPreflightPrefix('gitx', ['git']), null)
  assert.equal(api.isUnixSocketPermissionError('connect: Operation not permitted'), true)
  assert.equal(api.isUnixSocketPermissionError('no'), false)
})

test('import and require share their classes, and so does /inline', async () => {
  assert.equal(require('pi-sandbox-policy').NetworkPolicy, NetworkPolicy)
  assert.equal(require('pi-sandbox-policy/inline').NetworkPolicy, NetworkPolicy)
  assert.equal(inline.NetworkPolicy, NetworkPolicy)
  assert.equal(require('pi-sandbox-policy/compat').ConfigError, api.ConfigError)
  assert.equal(NetworkPolicy.name, 'NetworkPolicy')
  assert.equal(await api.init(), undefined)
})

test('a policy is made by its factories alone', () => {
  assert.throws(() => new NetworkPolicy(), TypeError)
  const { check, decide, decideMany } = NetworkPolicy.prototype
  assert.throws(() => check.call({}, 'a.b', 1), TypeError)
  assert.throws(() => decide('a.b', 1), TypeError)
  assert.throws(() => decideMany.call(null, [], []), TypeError)
})
