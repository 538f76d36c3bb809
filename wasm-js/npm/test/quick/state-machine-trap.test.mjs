// What becomes of supervisors and workers when the WebAssembly instance fails under them.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { control } from '../failing-instance.mjs'
import { load } from '../package.mjs'
import { CAPABILITY, drain, request } from '../protocol.mjs'

const { policy: api } = await load()
const { NetworkPolicy, PolicyUnavailableError, Supervisor, Worker } = api

const policy = NetworkPolicy.fromTransport({ allowedDomains: ['a.example'], deniedDomains: [] })
const bytes = (text) => new TextEncoder().encode(text)

/** A supervisor with two connections, one of them closed, and an ask that waits. */
function busySupervisor() {
  const supervisor = new Supervisor(policy, CAPABILITY)
  const [connection, closed] = [supervisor.open(), supervisor.open()]
  supervisor.close(closed)
  supervisor.receiveLine(connection, request('register'), 0)
  supervisor.receiveLine(connection, request('network', { id: 'n', hostname: 'ask.example', port: 443 }), 0)
  const { ask } = drain(supervisor).find(({ type }) => type === 'ask')
  return { supervisor, connection, ask }
}

/** An active worker with an exchange that waits. */
function busyWorker() {
  const worker = new Worker(CAPABILITY, 'w', '/')
  const registration = worker.register('r', 0)
  worker.receive(registration.exchange, bytes(`{"id":"r","action":"allow","network":${JSON.stringify(policy)}}\n`), 0)
  assert.equal(drain(worker)[0].answer, 'allow')
  assert.equal(worker.policy.check('a.example', 443), 'allow')
  return { worker, exchange: worker.network('n', 'ask.example', 443, 0).exchange }
}

function assertSupervisorHasEnded({ supervisor, connection, ask }) {
  assert.ok(supervisor.failure instanceof PolicyUnavailableError)
  assert.deepEqual(drain(supervisor), [
    { type: 'withdrawn', ask },
    { type: 'close', connection },
  ])
  // Nothing works any more, and new connections are closed as well.
  supervisor.answer(ask, 'allow', 1)
  supervisor.receiveLine(connection, request('network', { hostname: 'a.example', port: 443 }), 1)
  supervisor.receive(connection, bytes('x\n'), 1)
  supervisor.expire(1e9)
  assert.equal(supervisor.nextDeadline(), undefined)
  assert.deepEqual(drain(supervisor), [])
  const later = supervisor.open()
  assert.ok(later > connection)
  assert.deepEqual(drain(supervisor), [{ type: 'close', connection: later }])
  supervisor.shutdown()
  assert.deepEqual(drain(supervisor), [])
  assert.throws(() => supervisor.workers(), supervisor.failure)
  assert.equal(supervisor.policy, policy)
}

function assertWorkerHasStopped({ worker, exchange }) {
  assert.ok(worker.failure instanceof PolicyUnavailableError)
  assert.deepEqual(drain(worker), [{ exchange, answer: 'deny' }])
  worker.receive(exchange, bytes('{"id":"n","action":"allow"}\n'), 1)
  worker.end(exchange)
  worker.expire(1e9)
  assert.deepEqual(drain(worker), [])
  assert.equal(worker.nextDeadline(), undefined)
  assert.equal(worker.stage, 'stopped')
  assert.equal(worker.policy.check('a.example', 443), 'deny')
  for (const call of [() => worker.register('x', 1), () => worker.network('x', 'a.b', 1, 1), () => worker.unregister('x', 1)]) {
    assert.throws(call, worker.failure)
  }
}

/** Makes the next call of an export trap. */
function failing(name, call) {
  control.failing.add(name)
  call()
  assert.ok(!control.failing.has(name), `${name} was not called`)
  assert.equal(policy.check('a.example', 443), 'allow', 'policies go on')
}

const SUPERVISOR_CALLS = {
  open: ({ supervisor }) => supervisor.close(supervisor.open()),
  receive: ({ supervisor, connection }) => supervisor.receive(connection, bytes('x'), 1),
  receiveLine: ({ supervisor, connection }) => supervisor.receiveLine(connection, 'x', 1),
  close: ({ supervisor }) => supervisor.close(99),
  answer: ({ supervisor }) => supervisor.answer(99, 'allow', 1),
  expire: ({ supervisor }) => supervisor.expire(1),
  nextDeadline: ({ supervisor }) => supervisor.nextDeadline(),
  shutdown: ({ supervisor }) => supervisor.shutdown(),
  workers: ({ supervisor }) => assert.throws(() => supervisor.workers(), PolicyUnavailableError),
}

test('a supervisor whose call traps has ended: it withdraws its asks and closes its connections', () => {
  for (const [name, call] of Object.entries(SUPERVISOR_CALLS)) {
    const busy = busySupervisor()
    failing(`supervisor_${name}`, () => call(busy))
    assertSupervisorHasEnded(busy)
  }
})

test('a reply that traps on its way out is none', () => {
  const busy = busySupervisor()
  busy.supervisor.answer(busy.ask, 'allow', 1)
  control.failing.add('supervisor_poll')
  assert.deepEqual(drain(busy.supervisor), [{ type: 'close', connection: busy.connection }])
  assert.ok(busy.supervisor.failure instanceof PolicyUnavailableError)
})

const WORKER_CALLS = {
  receive: ({ worker, exchange }) => worker.receive(exchange, bytes('{"id":"n","action":"allow"}\n'), 1),
  end: ({ worker, exchange }) => worker.end(exchange),
  expire: ({ worker }) => worker.expire(1),
  nextDeadline: ({ worker }) => worker.nextDeadline(),
  stage: ({ worker }) => assert.equal(worker.stage, 'stopped'),
  network: ({ worker }) => assert.throws(() => worker.network('x', 'a.b', 1, 1), PolicyUnavailableError),
  unregister: ({ worker }) => assert.throws(() => worker.unregister('x', 1), PolicyUnavailableError),
}

test('a worker whose call traps has stopped: it denies what it waits for', () => {
  for (const [name, call] of Object.entries(WORKER_CALLS)) {
    const busy = busyWorker()
    failing(`worker_${name}`, () => call(busy))
    assertWorkerHasStopped(busy)
  }
  const busy = busyWorker()
  control.failing.add('worker_poll')
  assertStopsAtPoll(busy)
})

function assertStopsAtPoll({ worker, exchange }) {
  worker.receive(exchange, bytes('{"id":"n","action":"allow"}\n'), 1)
  assert.deepEqual(drain(worker), [{ exchange, answer: 'deny' }])
  assert.equal(worker.stage, 'stopped')
}

test('a policy that traps on its way to the worker denies everything', () => {
  const worker = new Worker(CAPABILITY, 'w', '/')
  const { exchange } = worker.register('r', 0)
  worker.receive(exchange, bytes(`{"id":"r","action":"allow","network":${JSON.stringify(policy)}}\n`), 0)
  control.failing.add('worker_policyJson')
  assert.equal(worker.policy.check('a.example', 443), 'deny')
  assert.equal(worker.stage, 'stopped')
})

test('a trap in any other call ends them too: their memory cannot be trusted', () => {
  const [supervisor, worker] = [busySupervisor(), busyWorker()]
  control.failing.add('policy_check')
  assert.equal(policy.check('a.example', 443), 'deny')
  assert.equal(supervisor.supervisor.failure, undefined, 'nothing was asked of it yet')
  supervisor.supervisor.answer(supervisor.ask + 1, 'deny', 1)
  assertSupervisorHasEnded(supervisor)
  worker.worker.expire(1)
  assertWorkerHasStopped(worker)
})

test('a trap while one is made throws, and the next one works', () => {
  const calls = {
    supervisor_create: () => new Supervisor(policy, CAPABILITY),
    supervisorRefusal: () => new Supervisor(policy, CAPABILITY),
    supervisoroptions_new: () => new Supervisor(policy, CAPABILITY),
    worker_create: () => new Worker(CAPABILITY, 'w', '/'),
    workerRefusal: () => new Worker(CAPABILITY, 'w', '/'),
  }
  for (const [name, call] of Object.entries(calls)) {
    failing(name, () => assert.throws(call, PolicyUnavailableError))
    call()
  }
})
