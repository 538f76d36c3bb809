// A supervisor and a worker on a real socket when the WebAssembly instance fails under them.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { control } from '../failing-instance.mjs'
import { load, temporary } from '../package.mjs'
import { request } from '../protocol.mjs'
import { RawConnection, until } from '../sockets.mjs'

const { policy: api, node } = await load()
const { NetworkPolicy, PolicyUnavailableError } = api
const { connectWorker, listen } = node

const policy = NetworkPolicy.fromTransport({ allowedDomains: ['a.example'], deniedDomains: [] })

test('everything is denied, every connection ended, nothing left behind, and a new one works', async () => {
  const folder = mkdtempSync(join(temporary, 't-'))
  const errors = []
  const signals = []
  const approve = (destination, worker, { signal }) => {
    signals.push(signal)
    return new Promise(() => undefined)
  }
  const supervisor = await listen({ policy, approve, onError: (error) => errors.push(error), folder })
  const { socketPath, capability } = supervisor
  const worker = await connectWorker({ socketPath, capability, workerId: 'w', cwd: '/' })
  const idle = new RawConnection(socketPath)
  const waiting = worker.decide('ask.example', 443)
  await until(() => signals.length === 1, 'the approver is asked')

  // Not by their own fault: any other call.
  control.failing.add('policy_check')
  assert.equal(policy.check('a.example', 443), 'deny')
  assert.equal(policy.check('a.example', 443), 'allow')

  const connection = new RawConnection(socketPath)
  assert.equal(await connection.ask(request('register', { capability, workerId: 'v' })), undefined)
  assert.equal(await idle.line(), undefined)
  const { action, by } = await waiting
  assert.deepEqual([action, by, signals[0].aborted], ['deny', 'failure', true])
  assert.equal((await worker.decide('a.example', 443)).action, 'deny')
  assert.ok(supervisor.failure instanceof PolicyUnavailableError)
  assert.deepEqual(errors, [supervisor.failure])
  assert.throws(() => supervisor.workers(), supervisor.failure)
  await worker.close()
  await supervisor.close()
  assert.deepEqual(readdirSync(folder), [])

  const next = await listen({ policy, approve, folder })
  const again = await connectWorker({ socketPath: next.socketPath, capability: next.capability, workerId: 'w', cwd: '/' })
  assert.equal((await again.decide('a.example', 443)).action, 'allow')
  await again.close()
  await next.close()
})
