// Supervisor and worker without I/O.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load, require } from '../package.mjs'
import { CAPABILITY, drain, request } from '../protocol.mjs'

const { policy: api } = await load()
const { NetworkPolicy, Supervisor, Worker } = api

const policy = NetworkPolicy.fromTransport({ allowedDomains: ['a.example'], deniedDomains: ['d.example'] })
const bytes = (text) => new TextEncoder().encode(text)

/** A supervisor with the worker `w` at `/`, registered at 5. */
function registered(options) {
  const supervisor = new Supervisor(policy, CAPABILITY, options)
  const connection = supervisor.open()
  supervisor.receiveLine(connection, request('register'), 5)
  drain(supervisor)
  return { supervisor, connection }
}

const ask = (id, hostname = 'ask.example') => request('network', { id, hostname, port: 443 })

test('a supervisor answers from its policy and asks where that says review', () => {
  const supervisor = new Supervisor(policy, CAPABILITY)
  assert.equal(supervisor.policy, policy)
  const connection = supervisor.open()
  supervisor.receive(connection, bytes(`${request('register', { id: 'r' })}\n`), 5)
  const worker = { id: 'w', cwd: '/', state: 'active', requests: 0 }
  const outputs = drain(supervisor)
  assert.deepEqual(outputs, [
    { type: 'reply', connection, line: `{"id":"r","action":"allow","network":${JSON.stringify(policy)}}` },
    { type: 'registered', worker, at: 5 },
  ])
  outputs.forEach((output) => assert.ok(Object.isFrozen(output)))
  assert.ok(Object.isFrozen(outputs[1].worker))
  supervisor.receiveLine(connection, ask('1', 'a.example'), 6)
  supervisor.receiveLine(connection, ask('2', 'd.example'), 6)
  supervisor.receiveLine(connection, ask('3', 'Ask.Example.'), 6)
  const [allowed, denied, asked, ...rest] = drain(supervisor)
  assert.deepEqual([allowed.line, denied.line], ['{"id":"1","action":"allow"}', '{"id":"2","action":"deny"}'])
  assert.deepEqual(asked, { type: 'ask', ask: asked.ask, connection, hostname: 'ask.example', port: 443, cwd: '/', workerId: 'w' })
  assert.deepEqual(rest, [])
  assert.equal(supervisor.nextDeadline(), 30_006)
  supervisor.answer(asked.ask, 'allow', 7)
  assert.deepEqual(drain(supervisor), [{ type: 'reply', connection, line: '{"id":"3","action":"allow"}' }])
  assert.equal(supervisor.nextDeadline(), undefined)
  supervisor.receiveLine(connection, request('unregister', { id: 'u' }), 9)
  const exited = { ...worker, state: 'exited', requests: 3 }
  assert.deepEqual(drain(supervisor)[1], { type: 'unregistered', worker: exited, at: 9 })
  assert.deepEqual(supervisor.workers(), [{ ...exited, registeredAt: 5, exitedAt: 9 }])
  assert.equal(supervisor.failure, undefined)
})

test('only exactly allow allows', () => {
  const { supervisor, connection } = registered()
  const words = ['deny', 'Allow', 'allow ', 'allowed', '', 'x'.repeat(1e6), '\ud800', true, 1, null, undefined, ['allow'], new String('allow'), { toString: () => 'allow' }, Symbol('allow')]
  words.forEach((word, index) => {
    supervisor.receiveLine(connection, ask(`${index}`), 6)
    const [{ ask: number }] = drain(supervisor)
    supervisor.answer(number, word, 6)
    assert.deepEqual(drain(supervisor).map(({ line }) => line), [`{"id":"${index}","action":"deny"}`])
  })
})

test('an ask that nobody answers is denied when its time is over, and without a limit it waits', () => {
  const { supervisor, connection } = registered({ askTimeoutMs: 100 })
  supervisor.receiveLine(connection, ask('1'), 6)
  const [{ ask: number }] = drain(supervisor)
  supervisor.expire(105)
  assert.deepEqual(drain(supervisor), [])
  supervisor.expire(106)
  assert.deepEqual(drain(supervisor), [
    { type: 'reply', connection, line: '{"id":"1","action":"deny"}' },
    { type: 'withdrawn', ask: number },
  ])
  supervisor.answer(number, 'allow', 107)
  assert.deepEqual(drain(supervisor), [])

  const patient = registered({ askTimeoutMs: Infinity })
  patient.supervisor.receiveLine(patient.connection, ask('1'), 6)
  assert.equal(drain(patient.supervisor).length, 1)
  assert.equal(patient.supervisor.nextDeadline(), undefined)
  patient.supervisor.expire(Number.MAX_SAFE_INTEGER)
  assert.deepEqual(drain(patient.supervisor), [])
})

test('the options have effect', () => {
  const unchecked = registered({ recheck: false })
  unchecked.supervisor.receiveLine(unchecked.connection, ask('1', 'A.example'), 6)
  assert.equal(drain(unchecked.supervisor)[0].hostname, 'A.example')

  const limits = { connections: 1, workers: 1, requestIds: 3, pendingAsks: 1, pendingAsksPerWorker: 1 }
  const { supervisor, connection } = registered({ limits })
  supervisor.receiveLine(connection, request('register', { workerId: 'v' }), 6)
  assert.equal(drain(supervisor)[0].line, '{"action":"deny"}')
  supervisor.receiveLine(connection, ask('1'), 6)
  assert.equal(drain(supervisor)[0].type, 'ask')
  supervisor.receiveLine(connection, ask('2'), 6)
  assert.equal(drain(supervisor)[0].line, '{"action":"deny"}')
  const refused = supervisor.open()
  assert.deepEqual(drain(supervisor).map(({ type }) => type), ['reply', 'close'])
  supervisor.close(refused)
})

test('a shutdown denies, closes and refuses', () => {
  const { supervisor, connection } = registered()
  supervisor.receiveLine(connection, ask('1'), 6)
  drain(supervisor)
  supervisor.shutdown()
  assert.deepEqual(drain(supervisor).map(({ type, line }) => line ?? type), ['{"id":"1","action":"deny"}', 'withdrawn', 'close'])
  supervisor.open()
  assert.deepEqual(drain(supervisor).map(({ type, line }) => line ?? type), ['{"action":"deny"}', 'close'])
})

test('lines that are too long or no text are denied', () => {
  const { supervisor, connection } = registered()
  for (const line of ['\ud800', `${request('register', { workerId: 'v' })}\ud800`, request('register', { workerId: 'v' }).replace('"v"', '"\udc00"'), '']) {
    supervisor.receiveLine(connection, line, 6)
    assert.deepEqual(drain(supervisor), [{ type: 'reply', connection, line: '{"action":"deny"}' }])
  }
  const padded = (length) => ask(`${length}`, 'a.example').padEnd(length)
  supervisor.receiveLine(connection, `${padded(16_384)}\n`, 6)
  assert.match(drain(supervisor)[0].line, /allow/)
  for (const length of [16_385, 16_386, 1_000_000]) {
    const other = supervisor.open()
    supervisor.receiveLine(other, padded(length), 6)
    assert.deepEqual(drain(supervisor).map(({ type, line }) => line ?? type), ['{"action":"deny"}', 'close'])
  }
})

test('no supervisor and no worker can be made of what is wrong', () => {
  const long = NetworkPolicy.fromTransport({ allowedDomains: Array(1500).fill('aaaa.example'), deniedDomains: [] })
  const { length } = JSON.stringify(long)
  assert.throws(() => new Supervisor(long, CAPABILITY), { name: 'RangeError', message: `policy too large: ${length} bytes, limit 15360` })
  assert.throws(() => new Supervisor(policy, 'ab'), { name: 'RangeError', message: 'a capability has 64 hex digits' })
  assert.throws(() => new Worker('ab', 'w', '/'), { name: 'RangeError', message: 'a capability has 64 hex digits' })
  assert.throws(() => new Worker(CAPABILITY, '', '/'), RangeError)
  assert.throws(() => new Worker(CAPABILITY, 'w', 'repo'), RangeError)
  for (const value of [5, null, undefined, {}, 'x\ud800', Symbol('s')]) {
    assert.throws(() => new Supervisor(policy, value), TypeError)
    assert.throws(() => new Worker(value, 'w', '/'), TypeError)
    assert.throws(() => new Worker(CAPABILITY, value, '/'), TypeError)
    assert.throws(() => new Worker(CAPABILITY, 'w', value), TypeError)
  }
  for (const value of [null, 5, {}, { ...policy.toJSON() }, Object.create(policy)]) {
    assert.throws(() => new Supervisor(value, CAPABILITY), TypeError)
  }
  for (const options of [null, 5, 'x', { recheck: 0 }, { recheck: null }, { rechek: true }, { askTimeoutMs: '1' }, { askTimeoutMs: null }, { limits: null }, { limits: { workers: '1' } }]) {
    assert.throws(() => new Supervisor(policy, CAPABILITY, options), TypeError)
  }
  for (const options of [{ askTimeoutMs: -1 }, { askTimeoutMs: 0.5 }, { askTimeoutMs: NaN }, { limits: { workers: 2 ** 32 } }, { limits: { connections: -1 } }]) {
    assert.throws(() => new Supervisor(policy, CAPABILITY, options), RangeError)
  }
})

test('arguments are checked, and what is wrong changes nothing', () => {
  const { supervisor, connection } = registered()
  const worker = new Worker(CAPABILITY, 'v', '/')
  const { exchange, line } = worker.register('r', 0)
  const nothing = new Uint8Array()
  const calls = {
    'receive, connection': (value) => supervisor.receive(value, nothing, 6),
    'receive, now': (value) => supervisor.receive(connection, nothing, value),
    'receiveLine, connection': (value) => supervisor.receiveLine(value, line, 6),
    'receiveLine, now': (value) => supervisor.receiveLine(connection, line, value),
    close: (value) => supervisor.close(value),
    'answer, ask': (value) => supervisor.answer(value, 'allow', 6),
    'answer, now': (value) => supervisor.answer(1, 'allow', value),
    expire: (value) => supervisor.expire(value),
    'worker.receive, exchange': (value) => worker.receive(value, nothing, 6),
    'worker.receive, now': (value) => worker.receive(exchange, nothing, value),
    'worker.end': (value) => worker.end(value),
    'worker.expire': (value) => worker.expire(value),
    'worker.register, now': (value) => worker.register('x', value),
    'worker.network, now': (value) => worker.network('x', 'a.b', 1, value),
    'worker.unregister, now': (value) => worker.unregister('x', value),
  }
  for (const [name, call] of Object.entries(calls)) {
    for (const value of ['6', 6n, null, undefined, [6], true, new Number(6), Symbol('s'), new Date()]) {
      assert.throws(() => call(value), TypeError, name)
    }
    for (const value of [-1, 0.5, NaN, Infinity, 2 ** 53]) assert.throws(() => call(value), RangeError, name)
  }
  for (const value of ['x', [1], new ArrayBuffer(1), new Uint16Array(1), new DataView(new ArrayBuffer(1)), { length: 1 }, null, undefined]) {
    assert.throws(() => supervisor.receive(connection, value, 6), TypeError)
    assert.throws(() => worker.receive(exchange, value, 6), TypeError)
  }
  assert.throws(() => supervisor.receive(connection, new Uint8Array(1024 * 1024 + 1), 6), RangeError)
  for (const value of [5, null, undefined, {}, Symbol('s')]) assert.throws(() => supervisor.receiveLine(connection, value, 6), TypeError)
  for (const port of [65979, -1, 443.9]) assert.throws(() => worker.network('x', 'a.b', port, 6), RangeError)
  for (const port of ['443', 2n, true, null]) assert.throws(() => worker.network('x', 'a.b', port, 6), TypeError)
  for (const text of [5, null, '\ud800']) {
    assert.throws(() => worker.register(text, 6), TypeError)
    assert.throws(() => worker.network('x', text, 1, 6), TypeError)
  }
  assert.deepEqual([drain(supervisor), drain(worker), worker.stage], [[], [], 'registering'])
  assert.deepEqual([supervisor.failure, worker.failure], [undefined, undefined])
})

test('bytes are taken as they are, whatever the array says of itself', () => {
  const { supervisor, connection } = registered()
  const lying = bytes(`${ask('1', 'a.example')}\n`)
  Object.defineProperty(lying, 'length', { value: 1 })
  supervisor.receive(connection, lying, 6)
  assert.equal(drain(supervisor)[0].line, '{"id":"1","action":"allow"}')
  const buffer = Buffer.from(`xx${ask('2', 'a.example')}\nxx`)
  supervisor.receive(connection, buffer.subarray(2, -2), 6)
  assert.equal(drain(supervisor)[0].line, '{"id":"2","action":"allow"}')
  const { runInNewContext } = require('node:vm')
  const foreign = runInNewContext('Uint8Array.from(text)', { text: [...bytes(`${ask('3', 'a.example')}\n`)] })
  supervisor.receive(connection, foreign, 6)
  assert.equal(drain(supervisor)[0].line, '{"id":"3","action":"allow"}')
})

test('numbers that were not given out name nothing', () => {
  const { supervisor, connection } = registered()
  supervisor.receiveLine(connection, ask('1'), 6)
  const [{ ask: number }] = drain(supervisor)
  supervisor.answer(number + 1, 'allow', 6)
  supervisor.answer(Number.MAX_SAFE_INTEGER, 'allow', 6)
  supervisor.receive(connection + 1, bytes('x\n'), 6)
  supervisor.close(connection + 1)
  assert.deepEqual(drain(supervisor), [])
})

test('a worker registers, asks and leaves', () => {
  const worker = new Worker(CAPABILITY, 'w', '/')
  assert.deepEqual([worker.stage, worker.policy.check('a.example', 443)], ['new', 'deny'])
  assert.throws(() => worker.network('1', 'a.example', 443, 0), { name: 'RequestRefusedError', message: 'no such request while the worker is new' })
  const { exchange, line } = worker.register('r', 0)
  assert.deepEqual(JSON.parse(line), { version: 1, capability: CAPABILITY, id: 'r', type: 'register', workerId: 'w', cwd: '/' })
  assert.equal(worker.nextDeadline(), 30_000)
  const reply = `{"id":"r","action":"allow","network":${JSON.stringify(policy)}}\n`
  for (const byte of bytes(reply)) worker.receive(exchange, Uint8Array.of(byte), 1)
  assert.deepEqual(drain(worker), [{ exchange, answer: 'allow' }])
  assert.equal(worker.stage, 'active')
  assert.ok(worker.policy instanceof NetworkPolicy)
  assert.equal(worker.policy.fingerprint, policy.fingerprint)
  assert.equal(worker.policy, worker.policy)
  assert.throws(() => worker.network('1', 'a.example', 0, 0), { name: 'RequestRefusedError' })
  assert.throws(() => worker.network('', 'a.example', 1, 0), { name: 'RequestRefusedError' })
  const [late, ended, left] = ['1', '2', '3'].map((id) => worker.network(id, 'ask.example', 443, 10).exchange)
  worker.expire(30_009)
  worker.end(ended)
  assert.deepEqual(drain(worker), [{ exchange: ended, answer: 'deny' }])
  worker.receive(late, bytes('{"id":"1","action":"allow"}\n'), 30_010)
  assert.deepEqual(drain(worker), [{ exchange: late, answer: 'deny' }])
  const leaving = worker.unregister('u', 20)
  assert.deepEqual(drain(worker), [{ exchange: left, answer: 'deny' }])
  assert.deepEqual([worker.stage, worker.policy.check('a.example', 443)], ['leaving', 'deny'])
  worker.receive(leaving.exchange, bytes('{"id":"u","action":"allow"}\n'), 21)
  assert.deepEqual(drain(worker), [{ exchange: leaving.exchange, answer: 'allow' }])
  assert.equal(worker.stage, 'stopped')
})

test('a worker that is denied has stopped', () => {
  const worker = new Worker(CAPABILITY, 'w', '/')
  const { exchange } = worker.register('r', 0)
  worker.receive(exchange, bytes('{"action":"deny"}\n'), 1)
  assert.deepEqual(drain(worker), [{ exchange, answer: 'deny' }])
  assert.equal(worker.stage, 'stopped')
  assert.deepEqual(worker.policy.deniedDomains, ['*'])
})
