import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from '../package.mjs'

const { policy: api, compat } = await load()
const { NetworkPolicy } = api

const policy = NetworkPolicy.fromTransport({ allowedDomains: ['a.example:443'], deniedDomains: [] })

test('a port that is no integer from 0 to 65535 is an error, never another port', () => {
  const convertible = { valueOf: () => 443 }
  for (const port of [65979, 65536, -1, 443.9, NaN, Infinity, -Infinity, 2 ** 32 + 443, 1e300]) {
    assert.throws(() => policy.check('a.example', port), RangeError, String(port))
    assert.throws(() => policy.decide('a.example', port), RangeError)
    assert.throws(() => policy.decideMany(['a.example'], [port]), RangeError)
    assert.throws(() => compat.matchesDomainPatternWithPort('a.example', port, 'a.example'), RangeError)
  }
  for (const port of ['443', [443], true, 2n, null, undefined, {}, convertible, Symbol('s'), new Number(443), () => 443]) {
    assert.throws(() => policy.check('a.example', port), TypeError)
    assert.throws(() => policy.decide('a.example', port), TypeError)
    assert.throws(() => policy.decideMany(['a.example'], [port]), TypeError)
    assert.throws(() => compat.matchesDomainPatternWithPort('a.example', port, 'a.example'), TypeError)
  }
  assert.equal(policy.check('a.example', 443), 'allow')
})

const NO_STRINGS = [5, NaN, 1n, true, null, undefined, {}, [], ['a.example'], Symbol('s'), () => 'a.example', new String('a.example')]

test('what is no string is a TypeError in every function', () => {
  const calls = {
    check: (value) => policy.check(value, 443),
    decide: (value) => policy.decide(value, 443),
    decideMany: (value) => policy.decideMany([value], [443]),
    fromConfig: (value) => NetworkPolicy.fromConfig(value),
    fromTransportText: (value) => NetworkPolicy.fromTransportText(value),
    parseConfig: (value) => api.parseConfig(value),
    canonicalizeHost: (value) => api.canonicalizeHost(value),
    normalizePublicHostname: (value) => api.normalizePublicHostname(value),
    isPublicAddress: (value) => api.isPublicAddress(value),
    checkAddresses: (value) => api.checkAddresses([value]),
    'matchingPreflightPrefix, command': (value) => api.matchingPreflightPrefix(value, []),
    'matchingPreflightPrefix, prefix': (value) => api.matchingPreflightPrefix('git', [value]),
    isUnixSocketPermissionError: (value) => api.isUnixSocketPermissionError(value),
    'compat.canonicalizeHost': (value) => compat.canonicalizeHost(value),
    'compat.isValidHost': (value) => compat.isValidHost(value),
    'compat.isPublicAddress': (value) => compat.isPublicAddress(value),
    'compat.matchesDomainPattern, host': (value) => compat.matchesDomainPattern(value, '*'),
    'compat.matchesDomainPattern, pattern': (value) => compat.matchesDomainPattern('a.example', value),
    'compat.matchesDomainPatternWithPort, host': (value) => compat.matchesDomainPatternWithPort(value, 1, '*'),
    'compat.matchesDomainPatternWithPort, pattern': (value) => compat.matchesDomainPatternWithPort('a.b', 1, value),
    'compat.splitDomainPatternPort': (value) => compat.splitDomainPatternPort(value),
    'compat.isUnixSocketPermissionError': (value) => compat.isUnixSocketPermissionError(value),
  }
  for (const [name, call] of Object.entries(calls)) {
    for (const value of NO_STRINGS) assert.throws(() => call(value), TypeError, `${name}(${String(value)})`)
  }
})

test('what is no array where one is needed is a TypeError', () => {
  for (const value of [undefined, null, 'ab', { length: 0 }, new Set(), new Map(), 1]) {
    assert.throws(() => policy.decideMany(value, []), TypeError)
    assert.throws(() => policy.decideMany([], value), TypeError)
    assert.throws(() => api.checkAddresses(value), TypeError)
    assert.throws(() => api.matchingPreflightPrefix('git', value), TypeError)
  }
  assert.throws(() => policy.decideMany(['a.b'], []), RangeError)
})

test('half of a surrogate pair is an error where it would be kept', () => {
  for (const half of ['\ud800', '\udc00', 'a\udfffb', '\ud83d ']) {
    assert.throws(() => api.parseConfig(`{"${half}":1}`), TypeError)
    assert.throws(() => NetworkPolicy.fromConfig(half), TypeError)
    assert.throws(() => compat.parsePiSandboxConfig({ [half]: 1 }), TypeError)
    assert.throws(() => compat.parsePiSandboxConfig({ network: { allowedDomains: [`${half}.b`] } }), TypeError)
    assert.throws(() => compat.parsePiSandboxConfig({ hostIPC: { preflightCommandPrefixes: [half] } }), TypeError)
    const lists = { allowedDomains: ['a.b'], deniedDomains: [`${half}.b`] }
    assert.deepEqual(NetworkPolicy.fromTransport(lists).deniedDomains, ['*'])
    assert.deepEqual(compat.decodeExternalNetworkPolicy(lists), { allowedDomains: [], deniedDomains: ['*'] })
  }
  assert.deepEqual(NetworkPolicy.fromTransport({ allowedDomains: ['😀.b'], deniedDomains: [] }).allowedDomains, ['😀.b'])
})

test('half of a surrogate pair is malformed where it would be matched', () => {
  const all = NetworkPolicy.fromTransport({ allowedDomains: ['\ufffd.example'], deniedDomains: [] })
  assert.equal(all.decide('\ud800.example', 443).reason, 'malformed-host')
  assert.equal(all.decide('\ufffd.example', 443).reason, 'malformed-host')
  assert.equal(api.canonicalizeHost('\ud800'), null)
  assert.equal(api.normalizePublicHostname('\ud800.com'), null)
  assert.equal(api.isPublicAddress('\ud800'), false)
  assert.equal(api.matchingPreflightPrefix('\ud800', ['\ud800', '\ufffd']), null)
  assert.equal(api.matchingPreflightPrefix('\ufffd', ['\ud800']), null)
  assert.equal(api.matchingPreflightPrefix('git', ['\ud800', 'git']), 'git')
  assert.equal(compat.matchesDomainPattern('\ufffd', '\ud800'), false)
})

test('what is too large is refused before it crosses', () => {
  const large = 'x'.repeat(64 * 1024 * 1024 + 1)
  for (const call of [
    () => api.parseConfig(large),
    () => NetworkPolicy.fromConfig(large),
    () => api.normalizePublicHostname(large),
    () => api.isPublicAddress(large),
    () => api.checkAddresses([large]),
    () => api.matchingPreflightPrefix('git', new Array(3).fill('x'.repeat(30_000_000))),
    () => api.isUnixSocketPermissionError(large),
    () => compat.parsePiSandboxConfig({ [large]: 1 }),
    () => compat.splitDomainPatternPort(large),
    () => policy.decideMany(new Array(1024 * 1024 + 1).fill('a'), new Array(1024 * 1024 + 1).fill(1)),
  ]) {
    assert.throws(call, RangeError, String(call))
  }
  assert.deepEqual(NetworkPolicy.fromTransportText(large).deniedDomains, ['*'])
  assert.deepEqual(NetworkPolicy.fromTransport({ allowedDomains: [large], deniedDomains: [] }).deniedDomains, ['*'])
  // A host is malformed, however long.
  assert.equal(policy.decide(large, 443).reason, 'malformed-host')
  assert.equal(policy.check(large, 443), 'deny')
  assert.equal(policy.decideMany([large], [443])[0].reason, 'malformed-host')
  assert.equal(api.canonicalizeHost(large), null)
})

test('a getter and a proxy are read once', () => {
  const reads = []
  const counted = (value, name) =>
    value !== null && typeof value === 'object'
      ? new Proxy(Array.isArray(value) ? value.map((item, index) => counted(item, index)) : value, {
          get(target, key) {
            reads.push(`${name}.${String(key)}`)
            return Reflect.get(target, key)
          },
        })
      : value
  let asked = 0
  const changing = {
    get allowedDomains() {
      asked += 1
      return asked === 1 ? ['a.example'] : ['*.evil.example']
    },
    deniedDomains: counted(['d.example', 'e.example'], 'denied'),
  }
  const read = NetworkPolicy.fromTransport(counted(changing, 'root'))
  assert.deepEqual(read.allowedDomains, ['a.example'])
  assert.deepEqual(read.deniedDomains, ['d.example', 'e.example'])
  assert.equal(asked, 1)
  assert.deepEqual(reads, ['root.allowedDomains', 'root.deniedDomains', 'denied.length', 'denied.0', 'denied.1'])
})

test('a length that is none is refused, whatever an array says of itself', () => {
  const saying = (length, array) => new Proxy(array, { get: (target, key) => (key === 'length' ? length : target[key]) })
  for (const length of ['x', '1', 'a.example', null, undefined, -1, 1.5, NaN, { valueOf: () => 1 }]) {
    assert.throws(() => policy.decideMany(saying(length, ['a.example']), saying(length, [443])), TypeError)
  }
})

test('a setter on the prototype of arrays changes no decision of a batch', () => {
  try {
    Object.defineProperty(Array.prototype, 0, { configurable: true, get: () => 'a.example', set() {} })
    const [decision] = policy.decideMany(['OTHER.example'], [1])
    const same = policy.decide('OTHER.example', 1)
    delete Array.prototype[0]
    assert.deepEqual(decision, same)
    assert.deepEqual([decision.host, decision.port], ['other.example', 1])
  } finally {
    delete Array.prototype[0]
  }
})

test('what a value inherits does not count', () => {
  const inherited = Object.create({ deniedDomains: [] })
  inherited.allowedDomains = ['a.example']
  assert.deepEqual(NetworkPolicy.fromTransport(inherited).deniedDomains, ['*'])
  class Lists {
    get allowedDomains() {
      return ['a.example']
    }
    get deniedDomains() {
      return []
    }
  }
  assert.deepEqual(NetworkPolicy.fromTransport(new Lists()).deniedDomains, ['*'])
  assert.deepEqual(compat.parsePiSandboxConfig(Object.create({ network: { allowedDomains: ['a.example'] } })).network, {
    allowedDomains: [],
    deniedDomains: [],
  })
  const hidden = Object.defineProperty({}, 'network', { value: null, enumerable: false })
  assert.doesNotThrow(() => compat.parsePiSandboxConfig(hidden))
  Array.prototype[0] = 'inherited.example'
  try {
    assert.deepEqual(NetworkPolicy.fromTransport({ allowedDomains: new Array(1), deniedDomains: [] }).deniedDomains, ['*'])
    assert.throws(() => api.checkAddresses(new Array(1)), TypeError)
    assert.throws(() => policy.decideMany(new Array(1), [443]), TypeError)
  } finally {
    delete Array.prototype[0]
  }
})

test('a value that throws when it is read is a denial, or its own error', () => {
  const trap = { get allowedDomains() { throw new Error('trap') }, deniedDomains: [] }
  assert.deepEqual(NetworkPolicy.fromTransport(trap).deniedDomains, ['*'])
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  assert.deepEqual(NetworkPolicy.fromTransport(proxy).deniedDomains, ['*'])
  assert.deepEqual(NetworkPolicy.fromTransport({ allowedDomains: proxy, deniedDomains: [] }).deniedDomains, ['*'])
  assert.throws(() => compat.parsePiSandboxConfig({ get network() { throw new Error('mine') } }), /mine/)
})

test('cyclic, deep and sparse values are judged like any other', () => {
  const cyclic = {}
  cyclic.network = cyclic
  assert.throws(() => compat.parsePiSandboxConfig(cyclic), /unknown network key: network/)
  const list = []
  list.push(list)
  assert.throws(() => compat.parsePiSandboxConfig({ network: { allowedDomains: list } }), /array of non-empty strings/)
  let deep = {}
  for (let level = 0; level < 100_000; level += 1) deep = { deep }
  assert.throws(() => compat.parsePiSandboxConfig({ filesystem: deep }), /unknown filesystem key: deep/)
  const sparse = new Array(4_000_000_000)
  assert.throws(() => compat.parsePiSandboxConfig({ network: { allowedDomains: sparse } }), /array of non-empty strings/)
  assert.deepEqual(NetworkPolicy.fromTransport({ allowedDomains: sparse, deniedDomains: [] }).deniedDomains, ['*'])
})

test('deeply nested text is no JSON', () => {
  for (const depth of [128, 10_000, 1_000_000]) {
    assert.throws(() => api.parseConfig('['.repeat(depth)), { message: 'invalid JSON' })
    assert.throws(() => api.parseConfig('{"a":'.repeat(depth)), { message: 'invalid JSON' })
  }
})
