// A worker on a real socket, and supervisors that misbehave.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { load, project, temporary } from '../package.mjs'
import { CAPABILITY, ManualClock } from '../protocol.mjs'
import { fakeSupervisor, until } from '../sockets.mjs'

const { policy: api, node } = await load()
const { connectWorker, listen } = node

const LISTS = { allowedDomains: ['a.example'], deniedDomains: ['d.example'] }
const closing = []
after(() => Promise.all(closing.map((close) => close())))

const welcome = ({ id }) => `${JSON.stringify({ id, action: 'allow', network: LISTS })}\n`
const allow = ({ id }) => `${JSON.stringify({ id, action: 'allow' })}\n`

/** A fake that answers registrations as they should be unless `registers` says otherwise, and the rest as `answers` does. */
async function fake(answers, registers = (request, socket) => socket.write(welcome(request))) {
  const supervisor = await fakeSupervisor((request, socket) => {
    const answer = request.type === 'register' ? registers : answers
    answer(request, socket)
  })
  closing.push(supervisor.close)
  return supervisor
}

const connect = (socketPath, options) =>
  connectWorker({ socketPath, capability: CAPABILITY, workerId: 'w', cwd: '/', ...options })

/** A worker of such a fake. */
async function worker(answers, options) {
  const supervisor = await fake(answers)
  return { supervisor, worker: await connect(supervisor.path, options) }
}

const askDeny = async (worker) => {
  const { action, by, decision, error } = await worker.decide('ask.example', 443)
  assert.deepEqual([action, by, decision.action, error], ['deny', 'supervisor', 'review', undefined])
}

/** Denied because nobody answered, which is not the same as a no. */
const failed = (answer, why) => {
  const { action, by, decision, error } = answer
  assert.deepEqual([action, by, decision.action], ['deny', 'failure', 'review'])
  assert.ok(Object.isFrozen(answer))
  assert.ok(error instanceof Error)
  assert.match(error.message, why)
}
const askFails = async (worker, why) => failed(await worker.decide('ask.example', 443), why)

test('the policy decides alone, and the supervisor where it says review', async () => {
  const requests = []
  const { worker: w } = await worker((request, socket) => {
    requests.push(request)
    socket.write(allow(request))
  })
  assert.deepEqual(w.policy.toJSON(), LISTS)
  assert.equal(w.stage, 'active')
  const answers = []
  for (const host of ['A.example.', 'd.example', 'localhost', 'Ask.Example.']) answers.push(await w.decide(host, 443))
  answers.forEach((answer) => assert.ok(Object.isFrozen(answer)))
  assert.deepEqual(answers.map(({ action, by, decision }) => [action, by, decision.host]), [
    ['allow', 'policy', 'a.example'],
    ['deny', 'policy', 'd.example'],
    ['deny', 'policy', 'localhost'],
    ['allow', 'supervisor', 'ask.example'],
  ])
  assert.equal(requests.length, 1)
  assert.equal(requests[0].hostname, 'ask.example')
  const refused = await w.decide('ask.example', 0)
  failed(refused, /port/)
  assert.ok(refused.error instanceof api.RequestRefusedError, 'no protocol has port 0')
  assert.equal(requests.length, 1)
  await assert.rejects(w.decide('ask.example', 65979), RangeError)
  await assert.rejects(w.decide('ask.example', '443'), TypeError)
  await assert.rejects(w.decide(5, 443), TypeError)
  await w.close()
  await w.close()
  assert.equal(requests.at(-1).type, 'unregister')
  assert.equal(w.stage, 'stopped')
  assert.deepEqual((await w.decide('a.example', 443)).action, 'deny')
})

const REPLIES = {
  'an empty line': () => '\n',
  'broken JSON': ({ id }) => `{"id":"${id}","action":"allow"\n`,
  'no object': () => '"allow"\n',
  'another word': ({ id }) => `{"id":"${id}","action":"Allow"}\n`,
  'no id': () => '{"action":"allow"}\n',
  'the id of another': () => '{"id":"x","action":"allow"}\n',
  'a bare denial': () => '{"action":"deny"}\n',
  'a denial, then an allow in one piece': ({ id }) => `{"id":"${id}","action":"deny"}\n${allow({ id })}`,
  'over 16 KiB': (request) => `${allow(request).trimEnd().padEnd(16_385)}\n`,
  'over 16 KiB without an end': () => 'x'.repeat(100_000),
  'no UTF-8': ({ id }) => Buffer.concat([Buffer.from(`{"id":"${id}","action":"allow","x":"`), Buffer.from([0xff]), Buffer.from('"}\n')]),
}

test('a reply that is not exactly an allow is a denial', async () => {
  for (const [name, reply] of Object.entries(REPLIES)) {
    const { worker: w } = await worker((request, socket) => socket.write(reply(request)))
    await askDeny(w).catch((error) => assert.fail(`${name}: ${error}`))
    assert.equal(w.stage, 'active', name)
  }
})

test('a reply may come in one piece with others, byte by byte, or with what nobody reads', async () => {
  const replies = [
    (request, socket) => socket.write(`${allow(request)}{"action":"deny"}\n`),
    async (request, socket) => {
      for (const byte of Buffer.from(allow(request))) {
        socket.write(Uint8Array.of(byte))
        await new Promise(setImmediate)
      }
    },
    ({ id }, socket) => socket.write(`{"extra":[{}],"id":"${id}","action":"allow"}\n`),
    (request, socket) => socket.write(`${allow(request).trimEnd().padEnd(16_384)}\n`),
  ]
  for (const reply of replies) {
    const { worker: w } = await worker(reply)
    assert.equal((await w.decide('ask.example', 443)).action, 'allow')
  }
})

test('a policy that is none denies everything', async () => {
  const networks = [
    { ...LISTS, extra: [] },
    { allowedDomains: ['a.example'] },
    { ...LISTS, allowedDomains: ['a.example', '*'] },
    { ...LISTS, deniedDomains: 'd.example' },
    null,
    undefined,
    [],
  ]
  for (const network of networks) {
    const supervisor = await fake(undefined, ({ id }, socket) => socket.write(`${JSON.stringify({ id, action: 'allow', network })}\n`))
    const w = await connect(supervisor.path)
    assert.deepEqual(w.policy.toJSON(), { allowedDomains: [], deniedDomains: ['*'] })
    assert.deepEqual((await w.decide('a.example', 443)).action, 'deny')
  }
})

test('a worker that is not accepted is told why, as far as anybody knows', async () => {
  const rejects = async (why, registers, options) =>
    assert.rejects(connect((await fake(undefined, registers)).path, options), { name: 'Error', message: new RegExp(`did not accept the worker: ${why}$`) })
  await rejects('it answered with a denial', (request, socket) => socket.write('{"action":"deny"}\n'))
  await rejects('it answered with a denial', (request, socket) => socket.write(`{"id":"${request.id}","action":"allow"\n`))
  await rejects('the connection ended without a reply', (request, socket) => socket.end())
  await rejects('the connection ended without a reply', (request, socket) => socket.end(welcome(request).slice(0, 40)))
  await rejects('no reply within 30 ms', () => undefined, { timeoutMs: 30 })
  await assert.rejects(connect(join(temporary, 'missing.sock')), ({ message, cause }) => /ENOENT/.test(message) && cause.code === 'ENOENT')
})

test('no reply for thirty seconds is a denial', async () => {
  const clock = new ManualClock()
  let asked = 0
  const { worker: w, supervisor } = await worker(() => (asked += 1), { clock })
  assert.equal(clock.timers, 0)
  const answer = w.decide('ask.example', 443)
  await until(() => asked === 1, 'the request arrives')
  clock.advance(29_999)
  assert.equal(clock.timers, 1)
  clock.advance(1)
  failed(await answer, /^no reply within 30000 ms$/)
  assert.equal(clock.timers, 0)
  await until(() => supervisor.sockets.size === 0, 'the connection is ended')
  assert.equal((await w.decide('a.example', 443)).action, 'allow')
})

test('a connection that is cut in mid-line is a denial', async () => {
  const { worker: w } = await worker((request, socket) => socket.end(allow(request).slice(0, -1)))
  await askFails(w, /ended without a reply/)
  const { worker: reset } = await worker((request, socket) => {
    socket.write(allow(request).slice(0, 9), () => socket.destroy())
  })
  await askFails(reset, /ended without a reply|ECONNRESET/)
})

test('a supervisor that goes away denies reviews and nothing else', async () => {
  const { worker: w, supervisor } = await worker(() => undefined)
  const waiting = w.decide('ask.example', 443)
  await until(() => supervisor.sockets.size === 1, 'the request arrives')
  await supervisor.close()
  failed(await waiting, /ended without a reply|ECONNRESET/)
  await askFails(w, /ENOENT|ECONNREFUSED/)
  assert.equal((await w.decide('a.example', 443)).action, 'allow')
  await w.close()
  assert.equal(w.stage, 'stopped')
})

test('a supervisor process that is killed while an ask is open: deny, at once', async () => {
  const program = `
    import { NetworkPolicy } from 'pi-sandbox-policy'
    import { listen } from 'pi-sandbox-policy/node'
    const supervisor = await listen({
      policy: NetworkPolicy.fromTransport(${JSON.stringify(LISTS)}),
      approve: () => new Promise(() => console.log('asked')),
      folder: ${JSON.stringify(mkdtempSync(join(temporary, 'k-')))},
    })
    console.log(JSON.stringify({ socketPath: supervisor.socketPath, capability: supervisor.capability }))`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  child.stdout.on('data', (text) => (stdout += text))
  await until(() => stdout.includes('\n'), 'the supervisor listens')
  const { socketPath, capability } = JSON.parse(stdout.split('\n')[0])
  const w = await connectWorker({ socketPath, capability, workerId: 'w', cwd: '/' })
  const waiting = w.decide('ask.example', 443)
  await until(() => stdout.includes('asked'), 'the approver is asked')
  child.kill('SIGKILL')
  await once(child, 'close')
  failed(await waiting, /ended without a reply|ECONNRESET/)
  await askFails(w, /ECONNREFUSED/)
  await w.close()
})

test('something else at the path of the socket is a denial', async () => {
  const folder = mkdtempSync(join(temporary, 'p-'))
  const policy = api.NetworkPolicy.fromTransport(LISTS)
  const supervisor = await listen({ policy, approve: () => 'allow', folder })
  closing.push(() => supervisor.close())
  const { socketPath, capability } = supervisor
  const w = await connectWorker({ socketPath, capability, workerId: 'w', cwd: '/' })
  assert.equal((await w.decide('ask.example', 443)).action, 'allow')
  const replacements = [
    () => writeFileSync(socketPath, allow({ id: 'x' })),
    () => mkdirSync(socketPath),
    () => symlinkSync('/dev/zero', socketPath),
    () => symlinkSync(join(folder, 'nowhere'), socketPath),
    () => undefined,
  ]
  unlinkSync(socketPath)
  for (const replace of replacements) {
    replace()
    await askFails(w, /ECONNREFUSED|ENOENT|ENOTSOCK|EACCES/)
    rmSync(socketPath, { recursive: true, force: true })
  }
  // The supervisor of somebody else does not know the worker.
  const other = await listen({ policy, approve: () => 'allow', folder })
  closing.push(() => other.close())
  symlinkSync(other.socketPath, socketPath)
  await askDeny(w)
})

test('what is waited for when the worker leaves is denied', async () => {
  let asked = 0
  const { worker: w } = await worker((request, socket) => {
    if (request.type === 'unregister') socket.write(allow(request))
    else asked += 1
  })
  const waiting = w.decide('ask.example', 443)
  await until(() => asked === 1, 'the request arrives')
  await w.close()
  failed(await waiting, /closed before the reply/)
})

test('an unregistration that nobody answers ends as well', async () => {
  const { worker: w } = await worker(() => undefined, { timeoutMs: 20 })
  await w.close()
  assert.equal(w.stage, 'stopped')
})

test('what is wrong with the options is said', async () => {
  const path = join(temporary, 's.sock')
  await assert.rejects(connect('s.sock'), /must be absolute/)
  // A path that Node would take for a port.
  await assert.rejects(connect('8080'), /must be absolute/)
  await assert.rejects(connect(''), /must be absolute/)
  await assert.rejects(connect(5), TypeError)
  await assert.rejects(connect(`/${'x'.repeat(103)}`), /at most 103 bytes/)
  await assert.rejects(connect('/a\0b'), RangeError)
  await assert.rejects(connect(path, { capability: 'ab' }), /a capability has 64 hex digits/)
  await assert.rejects(connect(path, { workerId: '' }), RangeError)
  await assert.rejects(connect(path, { cwd: 'relative' }), RangeError)
  for (const timeoutMs of [-1, 30_001, 0.5, Infinity]) await assert.rejects(connect(path, { timeoutMs }), RangeError)
  await assert.rejects(connect(path, { timeoutMs: '1' }), TypeError)
  await assert.rejects(connect(path, { timeout: 1 }), { name: 'TypeError', message: /connectWorker must have no `timeout`/ })
})
