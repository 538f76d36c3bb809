// Supervisors that misbehave, and real workers: what each fault comes to, the same for every kind of worker.

import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'

import { NetworkPolicy } from 'pi-sandbox-policy'
import { listen } from 'pi-sandbox-policy/node'

import { fakeSupervisor } from '../../wasm-js/npm/test/sockets.mjs'
import { endAll, WORKERS, WorkerProgram } from './lib/programs.mjs'

const LISTS = { allowedDomains: ['ok.example'], deniedDomains: ['no.example'] }
const CAPABILITY = 'ab'.repeat(32)
const TIMEOUT = { timeout: 300_000 }

const reply = (id, members) => `${JSON.stringify({ id, action: 'allow', ...members })}\n`
const welcome = (id) => reply(id, { network: LISTS })
const padded = (line, bytes) => `${line.trimEnd().padEnd(bytes)}\n`
const notUtf8 = (id) => Buffer.concat([Buffer.from(`{"id":"${id}","x":"`), Buffer.of(0xff), Buffer.from(`",${welcome(id).slice(1)}`)])

/** How a reply is sent. */
const whole = (text) => (id, socket) => socket.write(text(id))
const thenEnd = (text) => (id, socket) => socket.end(text(id))
const byteByByte = (text) => async (id, socket) => {
  for (const byte of Buffer.from(text(id))) {
    socket.write(Uint8Array.of(byte))
    await new Promise(setImmediate)
  }
}

/** Replies to any request, and whether the worker may take it for an allow. `allowed` is what it should have been. */
const replies = (allowed) => ({
  'an allow': [whole(allowed), true],
  'byte by byte': [byteByByte(allowed), true],
  'a further member': [whole((id) => allowed(id).replace('{', '{"extra":[{}],')), true],
  'an allow, a denial behind it in one piece': [whole((id) => `${allowed(id)}{"action":"deny"}\n`), true],
  '16 KiB': [whole((id) => padded(allowed(id), 16_384)), true],
  'a denial': [whole(() => '{"action":"deny"}\n'), false],
  'a denial, an allow behind it in one piece': [whole((id) => `{"action":"deny"}\n${allowed(id)}`), false],
  'another word': [whole((id) => allowed(id).replace('"allow"', '"Allow"')), false],
  'no word': [whole((id) => allowed(id).replace('"action":"allow",', '').replace(',"action":"allow"', '')), false],
  'the id of another request': [whole(() => allowed('another')), false],
  'no id': [whole((id) => allowed(id).replace(`"id":"${id}",`, '')), false],
  'broken JSON': [whole((id) => allowed(id).replace('}\n', '\n')), false],
  'JSON with a comment': [whole((id) => allowed(id).replace('}\n', '}//\n')), false],
  'an array': [whole((id) => `[${allowed(id).trimEnd()}]\n`), false],
  'an empty line': [whole(() => '\n'), false],
  'a byte order mark in front': [whole((id) => `\ufeff${allowed(id)}`), false],
  'bytes that are not UTF-8': [whole(notUtf8), false],
  'over 16 KiB': [whole((id) => padded(allowed(id), 16_385)), false],
  'over 16 KiB without an end': [whole(() => 'x'.repeat(100_000)), false],
  'nothing, and the end': [thenEnd(() => ''), false],
  'cut before the newline': [thenEnd((id) => allowed(id).trimEnd()), false],
  'cut in mid-line': [thenEnd((id) => allowed(id).slice(0, 20)), false],
})

/** Those that a registration is answered with: a process each. All are read by the same code. */
const REGISTRATIONS = ['an allow', 'a denial', 'the id of another request', 'broken JSON', 'over 16 KiB', 'cut in mid-line']

/** The member `network` of a registration, where it is no policy. */
const NO_POLICIES = {
  'a further key': { ...LISTS, extra: [] },
  'a list is missing': { allowedDomains: ['ok.example'] },
  'a bad pattern': { ...LISTS, deniedDomains: ['no.example', '*.*'] },
  'nothing': undefined,
}

/** What the path of the socket may suddenly be. */
const REPLACEMENTS = {
  'a file': (path) => writeFileSync(path, '{"action":"allow"}\n'),
  'a directory': (path) => mkdirSync(path),
  'a device': (path) => symlinkSync('/dev/zero', path),
  'a link to nowhere': (path) => symlinkSync(`${path}.nowhere`, path),
  'nothing': () => undefined,
  'another supervisor': (path) => symlinkSync(other.socketPath, path),
}

const policy = NetworkPolicy.fromTransport(LISTS)
const other = await listen({ policy, approve: () => 'allow' })
const fakes = new Set()
after(() => Promise.all([endAll(), other.close(), ...[...fakes].map((fake) => fake.close())]))

const INTRODUCTION = JSON.stringify({ fingerprint: policy.fingerprint })
const OK = '{"host":"ok.example","port":443,"action":"allow","reason":"rule","index":0}'
const NO = '{"host":"no.example","port":443,"action":"deny","reason":"rule","index":0}'
const asked = (host, answer) => `{"host":"${host}","port":443,"action":"review","reason":"unmatched","asked":"${answer}"}`

describe('supervisors that misbehave', { concurrency: 4 }, () => Object.keys(WORKERS).forEach(faults))

function faults(kind) {
  test(`${kind}: replies to a registration`, TIMEOUT, async () => {
    for (const name of REGISTRATIONS) {
      const [send, accepted] = replies(welcome)[name]
      const { lines, end } = await run(kind, send)
      assert.deepEqual(lines, accepted ? [INTRODUCTION, OK, NO, asked('ask.example', 'allow')] : [], name)
      assert.equal(end === 0, accepted, name)
    }
  })

  test(`${kind}: policies that are none`, TIMEOUT, async () => {
    const denied = (host) => `{"host":"${host}","port":443,"action":"deny","reason":"rule","index":0}`
    const none = JSON.stringify({ fingerprint: NetworkPolicy.fromTransport(null).fingerprint })
    for (const [name, network] of Object.entries(NO_POLICIES)) {
      const { lines, end } = await run(kind, whole((id) => reply(id, { network })))
      assert.deepEqual(lines, [none, denied('ok.example'), denied('no.example'), denied('ask.example')], name)
      assert.equal(end, 0, name)
    }
  })

  test(`${kind}: replies to a question, and the question after it`, TIMEOUT, async () => {
    const table = Object.entries(replies(reply))
    const supervisor = await fake((id, hostname, socket) => {
      const row = /^row-(\d+)\.example$/.exec(hostname)
      if (row === null) whole(reply)(id, socket)
      else table[row[1]][1][0](id, socket)
    })
    const worker = new WorkerProgram(kind, supervisor)
    assert.equal(await worker.line(), INTRODUCTION)
    for (const [row, [name, [, allowed]]] of table.entries()) {
      worker.send([`row-${row}.example`, 443], ['after.example', 443], ['ok.example', 443])
      assert.equal(await worker.line(), asked(`row-${row}.example`, allowed ? 'allow' : 'deny'), name)
      assert.equal(await worker.line(), asked('after.example', 'allow'), name)
      assert.equal(await worker.line(), OK, name)
    }
    await finish(worker)
  })

  test(`${kind}: something else at the path of the socket`, TIMEOUT, async () => {
    const supervisor = await fake((id, hostname, socket) => whole(reply)(id, socket))
    const worker = new WorkerProgram(kind, supervisor)
    assert.equal(await worker.line(), INTRODUCTION)
    for (const [name, replace] of Object.entries(REPLACEMENTS)) {
      const { socketPath } = supervisor
      renameSync(socketPath, `${socketPath}.kept`)
      replace(socketPath)
      assert.equal(await worker.send(['ask.example', 443]).line(), asked('ask.example', 'deny'), name)
      rmSync(socketPath, { recursive: true, force: true })
      renameSync(`${socketPath}.kept`, socketPath)
      assert.equal(await worker.send(['ask.example', 443]).line(), asked('ask.example', 'allow'), name)
    }
    await finish(worker)
  })
}

/** A supervisor that takes workers in and out, unless `register` says otherwise, and answers questions as `answer` says. */
async function fake(answer, register = whole(welcome)) {
  const supervisor = await fakeSupervisor(({ type, id, hostname }, socket) => {
    if (type === 'register') register(id, socket)
    else if (type === 'network') answer(id, hostname, socket)
    else whole(reply)(id, socket)
  })
  fakes.add(supervisor)
  return { socketPath: supervisor.path, capability: CAPABILITY }
}

/** A worker whose registration is answered in some way, and everything else as it should be. */
async function run(kind, register) {
  const supervisor = await fake((id, hostname, socket) => whole(reply)(id, socket), register)
  const worker = new WorkerProgram(kind, supervisor).send(['ok.example', 443], ['no.example', 443], ['ask.example', 443])
  const [lines, end] = await Promise.all([worker.finish(), worker.ended])
  return { lines, end }
}

async function finish(worker) {
  assert.deepEqual(await worker.finish(), [])
  assert.equal(await worker.ended, 0, worker.errors)
}
