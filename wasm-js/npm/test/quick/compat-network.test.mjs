import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from '../package.mjs'

const { compat } = await load()
const { decodeExternalNetworkPolicy, validatePublicHostname } = compat

test('a policy is decoded into fresh arrays', () => {
  const payload = { allowedDomains: ['github.com', '*.github.com:443', ' a.b'], deniedDomains: ['x.y', '*:22', 'x.y'] }
  const decoded = decodeExternalNetworkPolicy(payload)
  payload.allowedDomains.push('later.example')
  payload.deniedDomains.length = 0
  assert.deepEqual(decoded, {
    allowedDomains: ['github.com', '*.github.com:443', ' a.b'],
    deniedDomains: ['x.y', '*:22', 'x.y'],
  })
  decoded.allowedDomains.push('mine.example')
  const frozen = Object.freeze({ deniedDomains: Object.freeze([]), allowedDomains: Object.freeze([]) })
  assert.deepEqual(decodeExternalNetworkPolicy(frozen), { allowedDomains: [], deniedDomains: [] })
})

test('whatever is no policy denies everything', () => {
  for (const payload of [
    undefined,
    null,
    [],
    {},
    'x',
    '{"allowedDomains":[],"deniedDomains":[]}',
    new Map(),
    { allowedDomains: ['github.com'], deniedDomains: 'example.com' },
    { allowedDomains: ['*'], deniedDomains: [] },
    { allowedDomains: [], deniedDomains: [], allowLocalBinding: true },
    { allowedDomains: [], deniedDomains: [], extra: undefined },
    { allowedDomains: [], deniedDomains: undefined },
    { allowedDomains: [null], deniedDomains: [] },
    { allowedDomains: ['[a.com]'], deniedDomains: [] },
    { allowedDomains: [new String('a.b')], deniedDomains: [] },
    { allowedDomains: new Array(2), deniedDomains: [] },
    { allowedDomains: { 0: 'a.b', length: 1 }, deniedDomains: [] },
  ]) {
    assert.deepEqual(decodeExternalNetworkPolicy(payload), { allowedDomains: [], deniedDomains: ['*'] })
  }
})

test('public hostnames', () => {
  assert.equal(compat.normalizePublicHostname('API.Example.COM.'), 'api.example.com')
  for (const name of ['127.0.0.1', 'localhost', 'bad host.example', '', 'a..b', 'x'.repeat(64) + '.com']) {
    assert.equal(compat.normalizePublicHostname(name), undefined, name)
  }
})

test('public addresses, with and without their family', () => {
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.1', '::1', 'fd00::1', 'fe80::1', '192.0.2.1', '']) {
    assert.equal(compat.isPublicAddress(address), false, address)
  }
  assert.equal(compat.isPublicAddress('93.184.216.34'), true)
  assert.equal(compat.isPublicAddress('93.184.216.34', 4), true)
  assert.equal(compat.isPublicAddress('93.184.216.34', 6), false)
  assert.equal(compat.isPublicAddress('2606:2800:220:1:248:1893:25c8:1946', 6), true)
  assert.equal(compat.isPublicAddress('2606:2800:220:1:248:1893:25c8:1946', 4), false)
  assert.equal(compat.isPublicAddress('93.184.216.34', 0), false)
})

test('a name is valid when all it resolves to is public', async () => {
  const resolver = (...addresses) => async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  assert.equal(await validatePublicHostname('Example.com.', resolver('93.184.216.34', '2606:2800:220:1::1')), 'example.com')
  assert.equal(await validatePublicHostname('example.com', async () => [{ address: '93.184.216.34' }]), 'example.com')
  for (const resolve of [
    resolver('93.184.216.34', '127.0.0.1'),
    resolver('::ffff:10.0.0.1'),
    resolver(),
    resolver('example.org'),
    async () => [{ address: '93.184.216.34', family: 6 }],
    async () => [{ address: 5 }],
    async () => [null],
    async () => null,
    async () => {
      throw new Error('SERVFAIL')
    },
    () => {
      throw new Error('SERVFAIL')
    },
  ]) {
    assert.equal(await validatePublicHostname('example.com', resolve), undefined)
  }
  const never = () => assert.fail('not a public name: not to be resolved')
  for (const name of ['localhost', '127.0.0.1', '::1', 'a b.com']) assert.equal(await validatePublicHostname(name, never), undefined)
  await assert.rejects(validatePublicHostname(5, never), TypeError)
})

test('host IPC helpers take what the extension has', () => {
  assert.equal(compat.matchingPreflightPrefix(' tmux new', ['tm', 'tmux']), 'tmux')
  assert.equal(compat.matchingPreflightPrefix('tmuxx', ['tmux']), undefined)
  assert.equal(compat.isUnixSocketPermissionError(Buffer.from('connect: Operation not permitted')), true)
  assert.equal(compat.isUnixSocketPermissionError(Buffer.from([0xff, 0xfe])), false)
  assert.equal(compat.isUnixSocketPermissionError('connect: Permission denied'), false)
})
