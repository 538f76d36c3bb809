// A live supervisor, and what may happen to it and to its workers: never an allow, never a hang, nothing left behind.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { after, describe, test } from 'node:test'

import { NetworkPolicy } from 'pi-sandbox-policy'

import { RawConnection, until } from '../../wasm-js/npm/test/sockets.mjs'
import { foreseen } from './lib/approver.mjs'
import { Agent, crowd, endAll, WORKERS, WorkerProgram } from './lib/programs.mjs'

const KINDS = Object.keys(WORKERS)
const TIMEOUT = { timeout: 300_000 }
const LISTS = { allowedDomains: ['ok.example'], deniedDomains: ['no.example'] }
const INTRODUCTION = JSON.stringify({ fingerprint: NetworkPolicy.fromTransport(LISTS).fingerprint })
const OK = '{"host":"ok.example","port":443,"action":"allow","reason":"rule","index":0}'
const NO = '{"host":"no.example","port":443,"action":"deny","reason":"rule","index":0}'
const asked = (host, answer = foreseen(host, 443)) =>
  `{"host":"${host}","port":443,"action":"review","reason":"unmatched","asked":"${answer}"}`
const tls = (...hosts) => hosts.map((host) => [host, 443])

after(endAll)

describe('a live supervisor', { concurrency: 4 }, () => {
  test('a capability that is not the right one', TIMEOUT, async () => {
    const agent = await Agent.start({ network: LISTS })
    const { socketPath, capability } = agent
    const wrong = {
      'that of another': 'ab'.repeat(32),
      'cut short': capability.slice(0, -1),
      'missing': '',
    }
    for (const kind of KINDS) {
      for (const [name, capability] of Object.entries(wrong)) {
        const worker = new WorkerProgram(kind, { socketPath, capability }).send(...tls('ok.example'))
        assert.deepEqual(await worker.finish(), [], `${kind}: ${name}`)
        assert.notEqual(await worker.ended, 0, `${kind}: ${name}`)
      }
    }
    assert.deepEqual(await agent.workers(), [])
    assert.deepEqual(await agent.close(), { end: 0, left: [] })
  })

  test('an approver that throws, says something else, or never answers', TIMEOUT, async () => {
    const agent = await Agent.start({ network: LISTS, askTimeoutMs: 200 })
    const hosts = ['throws.example', 'rejects.example', 'shouts.example', 'nothing.example', 'never.example']
    const workers = KINDS.map((kind) => new WorkerProgram(kind, agent).send(...tls(...hosts, 'after.example')))
    const expected = [INTRODUCTION, ...hosts.map((host) => asked(host, 'deny')), asked('after.example', 'allow')]
    for (const worker of workers) assert.deepEqual(await worker.finish(), expected, worker.id)
    assert.deepEqual(await Promise.all(workers.map(({ ended }) => ended)), KINDS.map(() => 0))
    assert.deepEqual(agent.reported, Array.from({ length: 2 * KINDS.length }, () => 'no dialog'))
    assert.ok((await agent.workers()).every(({ state, requests }) => state === 'exited' && requests === hosts.length + 1))
    assert.deepEqual(await agent.close(), { end: 0, left: [] })
  })

  test('the supervisor is killed while everybody asks', TIMEOUT, async () => {
    const agent = await Agent.start({ network: LISTS, subagents: [tls('never.example', 'ok.example', 'later.example')] })
    const workers = KINDS.map((kind) => new WorkerProgram(kind, agent).send(...tls('never.example')))
    await agent.isAsked('never.example', workers.length + 1)
    assert.equal(await agent.kill(), 'SIGKILL')
    for (const worker of workers) {
      assert.equal(await worker.line(), INTRODUCTION)
      assert.equal(await worker.line(), asked('never.example', 'deny'), worker.id)
      // What the policy says still holds; nobody can be asked.
      worker.send(...tls('ok.example', 'no.example', 'later.example'))
      assert.deepEqual(await worker.finish(), [OK, NO, asked('later.example', 'deny')], worker.id)
      await worker.ended
    }
    // A subagent is at its end when its output is.
    const [, subagent] = await agent.transcripts
    assert.deepEqual(subagent, [INTRODUCTION, asked('never.example', 'deny'), OK, asked('later.example', 'deny')])
    agent.removeFolder()
  })

  test('a worker is killed while it asks', TIMEOUT, async () => {
    const agent = await Agent.start({ network: LISTS })
    const steady = new WorkerProgram('node', agent, 'steady')
    for (const kind of KINDS) {
      const worker = new WorkerProgram(kind, agent).send(...tls('never.example'))
      await agent.isAsked('never.example', KINDS.indexOf(kind) + 1)
      assert.equal(await worker.kill(), 'SIGKILL')
      // Its id is not free, for whoever would come in its place.
      const impostor = new WorkerProgram(kind, agent).send(...tls('ok.example'))
      assert.deepEqual(await impostor.finish(), [], kind)
      await impostor.ended
    }
    steady.send(...tls('ok.example', 'ask.example'))
    assert.deepEqual(await steady.finish(), [INTRODUCTION, OK, asked('ask.example')])
    const states = (await agent.workers()).map(({ id, state, requests }) => [id, state, requests])
    assert.deepEqual(new Set(states.map(String)), new Set(['steady,exited,1', ...KINDS.map((kind) => `${kind} worker,active,1`)]))
    assert.deepEqual(await agent.close(), { end: 0, left: [] })
  })
})

test('two hundred workers at once, and neighbours that misbehave', TIMEOUT, async () => {
  const agent = await Agent.start({ network: LISTS })
  const before = openFiles(agent)
  const hosts = Array.from({ length: 10 }, (_, number) => `${'x'.repeat(number)}ask.example`)
  const transcript = [INTRODUCTION, ...hosts.map((host) => asked(host)), OK, NO]
  const destinations = tls(...hosts, 'ok.example', 'no.example')
  const many = [0, 1].map((number) => new WorkerProgram(crowd(98), agent, `crowd ${number}`).send(...destinations))
  const single = ['rust', 'python', 'rust', 'python'].map((kind, number) => new WorkerProgram(kind, agent, `${kind} ${number}`).send(...destinations))
  const reading = [Promise.all(many.map((worker) => worker.finish())), Promise.all(single.map((worker) => worker.finish()))]
  await misbehave(agent)
  const [crowds, singles] = await Promise.all(reading)
  const transcripts = [...crowds.flat().map((line) => JSON.parse(line)), ...singles]
  assert.equal(transcripts.length, 200)
  for (const own of transcripts) assert.deepEqual(own, transcript)

  const workers = (await agent.workers()).filter(({ id }) => id !== NEIGHBOUR)
  assert.equal(new Set(workers.map(({ id }) => id)).size, 200)
  assert.ok(workers.every(({ state, requests }) => state === 'exited' && requests === hosts.length))
  const questions = agent.asked.filter(([id]) => id !== NEIGHBOUR)
  assert.equal(questions.length, 200 * hosts.length)
  assert.ok(agent.asked.every(([, , host]) => host !== 'ok.example' && host !== 'no.example'))
  await until(() => openFiles(agent) === before, 'every connection is closed')
  assert.deepEqual(await agent.close(), { end: 0, left: [] })
})

const NEIGHBOUR = 'neighbour'

/** A worker that does all that no supervisor may be disturbed by. */
async function misbehave({ socketPath, capability }) {
  const request = (type, id, members) => JSON.stringify({ version: 1, capability, id, type, workerId: NEIGHBOUR, cwd: '/n', ...members })
  const network = (id, hostname, members) => request('network', id, { hostname, port: 443, ...members })
  const answered = (id, action) => `{"id":"${id}","action":"${action}"}`
  const DENY = '{"action":"deny"}'
  const conversation = [
    ['asks before it registers', network('1', 'ok.example'), DENY],
    ['registers', request('register', '1'), `{"id":"1","action":"allow","network":${JSON.stringify(LISTS)}}`],
    ['registers again', request('register', '2'), DENY],
    ['replays', network('1', 'ok.example'), DENY],
    ['asks for a denied host', network('2', 'no.example'), answered('2', 'deny')],
    ['and again, with the same id', network('2', 'ok.example'), DENY],
    ['lies about its directory', network('3', 'ok.example', { cwd: '/' }), DENY],
    ['speaks for another worker', network('3', 'ok.example', { workerId: 'crowd 0 0', cwd: '/n' }), DENY],
    ['would make another leave', request('unregister', '3', { workerId: 'crowd 0 0' }), DENY],
    ['has a wrong capability', network('3', 'ok.example', { capability: 'ab'.repeat(32) }), DENY],
    ['asks for no port', network('3', 'ok.example', { port: 65_979 }), DENY],
    ['says nothing', '', DENY],
    ['says what is no JSON', network('3', 'ok.example').slice(0, -1), DENY],
    ['asks as it should', network('3', 'ok.example'), answered('3', 'allow')],
  ]
  const connection = new RawConnection(socketPath)
  for (const [what, line, reply] of conversation) assert.equal(await connection.ask(line), reply, what)

  // Lines that do not end, and one that is too long.
  const open = Array.from({ length: 50 }, (_, number) => new RawConnection(socketPath).write(network('4', 'ok.example').slice(0, 50 + number)))
  const long = new RawConnection(socketPath).write('x'.repeat(16_385))
  assert.equal(await long.line(), DENY)
  assert.equal(await long.line(), undefined)
  // It asks, and is gone.
  open.push(new RawConnection(socketPath).write(`${network('4', 'never.example')}\n`))
  assert.equal(await connection.ask(network('5', 'ok.example')), answered('5', 'allow'))
  open.forEach((connection) => connection.close())
  assert.equal(await connection.ask(request('unregister', '6')), answered('6', 'allow'))
  assert.equal(await connection.ask(network('7', 'ok.example')), DENY)
  connection.close()
}

/** How many files a process has open, where the system tells. */
function openFiles({ child }) {
  const folder = `/proc/${child.pid}/fd`
  return existsSync(folder) ? readdirSync(folder).length : 0
}
