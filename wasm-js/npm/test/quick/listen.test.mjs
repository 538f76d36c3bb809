// A supervisor on a real socket, and workers that misbehave.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'

import { load, project, temporary } from '../package.mjs'
import { ManualClock, request } from '../protocol.mjs'
import { RawConnection, until } from '../sockets.mjs'

const { policy: api, node, compat } = await load()
const { NetworkPolicy } = api
const { connectWorker, listen } = node

const policy = NetworkPolicy.fromTransport({ allowedDomains: ['a.example'], deniedDomains: ['d.example'] })
const DENY = '{"action":"deny"}'
const folder = mkdtempSync(join(temporary, 's-'))
const running = []
after(() => Promise.all(running.map((supervisor) => supervisor.close())))

/** A supervisor that approves what begins with `yes`. */
async function start(options = {}) {
  const asked = []
  const errors = []
  const supervisor = await listen({
    policy,
    approve: (destination, worker) => {
      asked.push({ ...destination, ...worker })
      return destination.hostname.startsWith('yes') ? 'allow' : 'deny'
    },
    onError: (error) => errors.push(error),
    folder,
    ...options,
  })
  running.push(supervisor)
  const line = (type, members) => request(type, { capability: supervisor.capability, ...members })
  const ask = (id, hostname, members) => line('network', { id, hostname, port: 443, ...members })
  return { supervisor, asked, errors, line, ask, connect: () => new RawConnection(supervisor.socketPath) }
}

/** The same with the worker `w` registered, on an open connection. */
async function registered(options) {
  const started = await start(options)
  const connection = started.connect()
  assert.match(await connection.ask(started.line('register')), /"action":"allow"/)
  return { ...started, connection }
}

test('the socket is in a folder for this user alone, and gone after close', async () => {
  const { supervisor, connect } = await start()
  const own = dirname(supervisor.socketPath)
  assert.equal(statSync(own).mode & 0o777, 0o700)
  assert.equal(statSync(supervisor.socketPath).mode & 0o777, 0o600)
  assert.match(supervisor.capability, /^[0-9a-f]{64}$/)
  assert.equal(supervisor.policy, policy)
  const other = await start()
  assert.notEqual(other.supervisor.capability, supervisor.capability)
  assert.notEqual(other.supervisor.socketPath, supervisor.socketPath)
  const open = connect()
  await once(open.socket, 'connect')
  await supervisor.close()
  await supervisor.close()
  assert.equal(existsSync(own), false)
  assert.equal(await open.line(), undefined)
  assert.equal(await connect().line(), undefined)
})

test('three kinds of answers, lifecycle and workers', async () => {
  const events = []
  const told = (name) => (worker, at) => events.push([name, worker, Number.isSafeInteger(at)])
  const { supervisor, asked, line, ask, connection } = await registered({ registered: told('registered'), unregistered: told('unregistered') })
  assert.equal(await connection.ask(ask('1', 'a.example')), '{"id":"1","action":"allow"}')
  assert.equal(await connection.ask(ask('2', 'd.example')), '{"id":"2","action":"deny"}')
  assert.equal(await connection.ask(ask('3', 'Yes.Example.')), '{"id":"3","action":"allow"}')
  assert.equal(await connection.ask(ask('4', 'no.example')), '{"id":"4","action":"deny"}')
  assert.deepEqual(asked, [
    { hostname: 'yes.example', port: 443, protocol: 'tcp', id: 'w', cwd: '/' },
    { hostname: 'no.example', port: 443, protocol: 'tcp', id: 'w', cwd: '/' },
  ])
  const [{ registeredAt, ...worker }] = supervisor.workers()
  assert.deepEqual(worker, { id: 'w', cwd: '/', state: 'active', requests: 4, exitedAt: null })
  assert.ok(Math.abs(registeredAt - Date.now()) < 60_000)
  assert.equal(await connection.ask(line('unregister', { id: 'u' })), '{"id":"u","action":"allow"}')
  assert.equal(supervisor.workers()[0].state, 'exited')
  assert.deepEqual(events, [
    ['registered', { id: 'w', cwd: '/' }, true],
    ['unregistered', { id: 'w', cwd: '/' }, true],
  ])
})

test('a capability that is wrong, missing or cut short is denied, and so is what else breaks a rule', async () => {
  const { supervisor, asked, ask, line, connection, connect } = await registered()
  const { capability } = supervisor
  for (const wrong of ['ab'.repeat(32), capability.slice(0, -1), `${capability}0`, capability.toUpperCase().replace(/\d/g, 'A'), '', null, undefined, 5]) {
    // Each on a connection of its own: too many refusals end one.
    const other = connect()
    assert.equal(await other.ask(line('register', { capability: wrong, workerId: 'v' })), DENY)
    assert.equal(await other.ask(ask('1', 'yes.example', { capability: wrong })), DENY)
    other.close()
  }
  const denied = [
    ask('1', 'yes.example', { cwd: '/elsewhere' }),
    ask('1', 'yes.example', { workerId: 'v' }),
    ask('1', 'yes.example', { port: '443' }),
    ask('1', 'yes.example', { port: 65979 }),
    line('register'),
    '{',
    '',
    '[]',
    '{"version":1}',
  ]
  for (const frame of denied) assert.equal(await connection.ask(frame), DENY, frame)
  assert.deepEqual(asked, [])
  assert.equal(await connection.ask(ask('1', 'yes.example')), '{"id":"1","action":"allow"}')
  assert.equal(await connection.ask(ask('1', 'yes.example')), DENY, 'replayed')
  assert.equal(asked.length, 1)
})

test('frames may be cut anywhere', async () => {
  const { ask, connection, connect } = await registered()
  connection.write(`${ask('1', 'a.example')}\n${ask('2', 'd.example')}\n${ask('3', 'yes.example')}`)
  assert.equal(await connection.line(), '{"id":"1","action":"allow"}')
  assert.equal(await connection.line(), '{"id":"2","action":"deny"}')
  connection.write('\n')
  assert.equal(await connection.line(), '{"id":"3","action":"allow"}')
  for (const byte of `${ask('4', 'a.example')}\n`) connection.write(byte)
  assert.equal(await connection.line(), '{"id":"4","action":"allow"}')

  const cut = connect()
  cut.write(ask('5', 'yes.example').slice(0, 50))
  cut.socket.end()
  assert.equal(await cut.line(), undefined)
  assert.equal(await connection.ask(ask('5', 'a.example')), '{"id":"5","action":"allow"}', 'the id was not used up')
})

test('a line over 16 KiB is denied and ends its connection alone, with a newline or without', async () => {
  const { ask, connection, connect } = await registered()
  for (const line of [`${ask('1', 'a.example').padEnd(16_385)}\n`, 'x'.repeat(16_385), 'x'.repeat(1_000_000)]) {
    const long = connect()
    assert.equal(await long.write(line).line(), DENY)
    assert.equal(await long.line(), undefined)
  }
  assert.equal(await connection.ask(ask('1', 'a.example').padEnd(16_384)), '{"id":"1","action":"allow"}')
})

test('an approver that throws, rejects or says something else denies, and what he threw is reported', async () => {
  const thrown = new Error('no dialog')
  const answers = {
    'throws.example': () => {
      throw thrown
    },
    'rejects.example': () => Promise.reject(thrown),
    'word.example': () => 'ALLOW',
    'true.example': () => true,
    'object.example': () => ({ action: 'allow' }),
    'nothing.example': () => undefined,
    'later.example': async () => 'allow',
  }
  const { ask, errors, connection } = await registered({ approve: ({ hostname }) => answers[hostname]() })
  for (const hostname of Object.keys(answers)) {
    const action = hostname === 'later.example' ? 'allow' : 'deny'
    assert.equal(await connection.ask(ask(hostname, hostname)), `{"id":"${hostname}","action":"${action}"}`)
  }
  assert.deepEqual(errors, [thrown, thrown])
})

test('an approver that never answers has denied when the time is over, and is told that nobody waits', async () => {
  const clock = new ManualClock()
  const signals = []
  let late
  const approve = (destination, worker, { signal }) => {
    signals.push(signal)
    return new Promise((resolve) => (late = resolve))
  }
  const { ask, connection, supervisor } = await registered({ approve, clock })
  connection.write(`${ask('1', 'ask.example')}\n`)
  await until(() => signals.length === 1, 'the approver is asked')
  // Nobody else waits for him.
  assert.equal(await connection.ask(ask('2', 'a.example')), '{"id":"2","action":"allow"}')
  clock.advance(29_999)
  assert.equal(signals[0].aborted, false)
  clock.advance(1)
  assert.equal(await connection.line(), '{"id":"1","action":"deny"}')
  assert.equal(signals[0].aborted, true)
  late('allow')
  assert.equal(await connection.ask(ask('3', 'd.example')), '{"id":"3","action":"deny"}')
  assert.equal(clock.timers, 0)
  await supervisor.close()
})

test('asks are withdrawn when their connection ends, their worker leaves or the supervisor closes', async () => {
  const signals = new Map()
  const approve = ({ hostname }, worker, { signal }) => {
    signals.set(hostname, signal)
    return new Promise(() => undefined)
  }
  const { supervisor, ask, line, connection, connect } = await registered({ approve })
  const asking = async (on, hostname) => {
    on.write(`${ask(hostname, hostname)}\n`)
    await until(() => signals.has(hostname), 'the approver is asked')
  }
  const other = connect()
  await asking(other, 'ends.example')
  other.close()
  await until(() => signals.get('ends.example').aborted, 'the ask is withdrawn')
  await asking(connection, 'leaves.example')
  connection.write(`${line('unregister', { id: 'u' })}\n`)
  assert.equal(await connection.line(), '{"id":"leaves.example","action":"deny"}')
  assert.equal(await connection.line(), '{"id":"u","action":"allow"}')
  assert.equal(signals.get('leaves.example').aborted, true)
  await connection.ask(line('register', { workerId: 'v' }))
  connection.write(`${ask('closes.example', 'closes.example', { workerId: 'v' })}\n`)
  await until(() => signals.has('closes.example'), 'the approver is asked')
  await supervisor.close()
  assert.equal(await connection.line(), '{"id":"closes.example","action":"deny"}')
  assert.equal(await connection.line(), undefined)
  assert.equal(signals.get('closes.example').aborted, true)
})

test('callbacks that throw are reported and change nothing', async () => {
  const thrown = new Error('no log')
  const fail = () => {
    throw thrown
  }
  const { errors, line, connection } = await registered({ registered: fail, unregistered: fail })
  assert.equal(await connection.ask(line('unregister', { id: 'u' })), '{"id":"u","action":"allow"}')
  assert.deepEqual(errors, [thrown, thrown])
})

test('a connection that does not take its replies is not read, and the others go on', async () => {
  const { ask, connection, connect, supervisor } = await registered()
  const lazy = connect()
  await once(lazy.socket, 'connect')
  lazy.socket.pause()
  const junk = 'x\n'.repeat(32 * 1024)
  // Each byte asks for nine: what is written for nobody would soon be more than memory holds.
  let taken = 0
  const flood = () => {
    while (taken < 1000 && lazy.socket.write(junk, () => (taken += 1)) && !lazy.socket.destroyed);
  }
  flood()
  lazy.socket.on('drain', flood)
  for (let turn = 0; turn < 20; turn += 1) {
    assert.equal(await connection.ask(ask(`${turn}`, 'a.example')), `{"id":"${turn}","action":"allow"}`)
  }
  assert.ok(taken < 20, `${taken} pieces were taken`)
  lazy.close()
  await supervisor.close()
})

test('many connections that flood do no harm', async () => {
  const { ask, connection, connect, supervisor } = await registered()
  const floods = Array.from({ length: 24 }, (_, number) => {
    const flood = connect()
    // Half of them take no replies.
    if (number % 2 === 0) flood.socket.pause()
    else flood.socket.removeAllListeners('data').resume()
    return flood.write('\n'.repeat(1 << 17))
  })
  for (let turn = 0; turn < 20; turn += 1) {
    assert.equal(await connection.ask(ask(`${turn}`, 'a.example')), `{"id":"${turn}","action":"allow"}`)
  }
  assert.equal(supervisor.failure, undefined)
  floods.forEach((flood) => flood.close())
  await supervisor.close()
})

test('thousands of requests at once are all answered, in order, also when their replies are taken late', async () => {
  const { ask, connection } = await registered()
  const ids = Array.from({ length: 3000 }, (_, number) => `${'n'.repeat(100)}${number}`)
  connection.socket.pause()
  connection.write(ids.map((id) => `${ask(id, 'a.example')}\n`).join(''))
  await new Promise((later) => setTimeout(later, 100))
  connection.socket.resume()
  for (const id of ids) assert.equal(await connection.line(), `{"id":"${id}","action":"allow"}`)
})

test('two hundred workers at once, each answered for itself', async () => {
  const { supervisor, asked } = await start()
  const hosts = ['a.example', 'd.example', 'yes.example', 'no.example', '127.0.0.1']
  const transcripts = await Promise.all(
    Array.from({ length: 200 }, async (_, number) => {
      const { socketPath, capability } = supervisor
      const worker = await connectWorker({ socketPath, capability, workerId: `w${number}`, cwd: `/w/${number}` })
      const answers = await Promise.all(hosts.map(async (host) => (await worker.decide(host, 443)).action))
      await worker.close()
      return answers.join()
    }),
  )
  assert.deepEqual(new Set(transcripts), new Set(['allow,deny,allow,deny,deny']))
  assert.equal(asked.length, 400)
  const workers = supervisor.workers()
  assert.equal(workers.length, 200)
  assert.ok(workers.every(({ state, requests }) => state === 'exited' && requests === 2))
})

test('what is wrong with the options is said, and nothing is left behind', async () => {
  const before = readdirSync(folder).length
  const approve = () => 'deny'
  await assert.rejects(listen({ policy, approve: undefined, folder }), { name: 'TypeError', message: 'approve must be a function, not of type undefined' })
  await assert.rejects(listen({ policy, approve, registered: 'x', folder }), TypeError)
  await assert.rejects(listen({ policy: {}, approve, folder }), TypeError)
  await assert.rejects(listen({ policy, approve, folder, recheck: 1 }), TypeError)
  await assert.rejects(listen({ policy, approve, folder, rechek: false }), { name: 'TypeError', message: /the options of listen must have no `rechek`/ })
  await assert.rejects(listen({ policy, approve, folder, limits: { worker: 1 } }), { name: 'TypeError', message: /limits must have no `worker`/ })
  await assert.rejects(listen(), TypeError)
  await assert.rejects(listen({ policy, approve, folder: 'relative' }), /must be absolute/)
  await assert.rejects(listen({ policy, approve, folder: join(folder, 'missing') }), { code: 'ENOENT' })
  // Longer than the system takes: it would be cut, and the socket lie where everybody may enter.
  const long = join(folder, 'x'.repeat(100))
  mkdirSync(long)
  await assert.rejects(listen({ policy, approve, folder: long }), /at most 103 bytes/)
  assert.deepEqual(readdirSync(long), [])
  const large = NetworkPolicy.fromTransport({ allowedDomains: Array(1500).fill('aaaa.example'), deniedDomains: [] })
  await assert.rejects(listen({ policy: large, approve, folder }), /^RangeError: policy too large: \d+ bytes, limit 15360$/)
  assert.equal(readdirSync(folder).length, before + 1)
})

test('without onError, what goes wrong is a warning of the process', async () => {
  const warning = once(process, 'warning')
  const { connection, ask } = await registered({
    onError: undefined,
    approve: () => {
      throw new Error('no dialog')
    },
  })
  assert.equal(await connection.ask(ask('1', 'ask.example')), '{"id":"1","action":"deny"}')
  assert.equal((await warning)[0].message, 'no dialog')
})

test('whatever is thrown, and whatever onError does about it, the worker is answered', async () => {
  const fail = () => {
    throw Object.create(null)
  }
  const odd = {
    'nothing.example': undefined,
    'bare.example': Object.create(null),
    'symbol.example': Symbol('s'),
    'error.example': Object.defineProperties(new Error(), { stack: { get: fail }, message: { get: fail } }),
    'proxy.example': new Proxy({}, { getPrototypeOf: fail, get: fail }),
  }
  const warnings = []
  const warned = ({ message }) => warnings.push(message)
  process.on('warning', warned)
  for (const onError of [undefined, fail, async () => fail()]) {
    const approve = ({ hostname }) => {
      throw odd[hostname]
    }
    const { ask, line, connection } = await registered({ approve, onError, registered: fail, unregistered: async () => fail() })
    for (const hostname of Object.keys(odd)) {
      assert.equal(await connection.ask(ask(hostname, hostname)), `{"id":"${hostname}","action":"deny"}`)
    }
    assert.equal(await connection.ask(line('unregister', { id: 'u' })), '{"id":"u","action":"allow"}')
  }
  process.off('warning', warned)
  assert.deepEqual(new Set(warnings), new Set(['undefined', 'Symbol(s)', 'something was thrown that cannot be printed']))
})

test('a process that ends without closing its supervisors takes their folders along', async () => {
  const own = mkdtempSync(join(temporary, 'e-'))
  const program = `
    import { NetworkPolicy } from 'pi-sandbox-policy'
    import { listen } from 'pi-sandbox-policy/node'
    const policy = NetworkPolicy.fromTransport(null)
    for (let count = 0; count < 12; count += 1) await listen({ policy, approve: () => 'deny', folder: ${JSON.stringify(own)} })
    process.exit(7)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { cwd: project, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (text) => (stderr += text))
  assert.deepEqual(await once(child, 'close'), [7, null])
  assert.equal(stderr, '')
  assert.deepEqual(readdirSync(own), [])
})

test('createExternalWorkerSupervisor has the shape of the original', async () => {
  const events = []
  const supervisor = await compat.createExternalWorkerSupervisor(
    async (destination, worker) => {
      events.push([destination, worker])
      return 'allow'
    },
    { registered: (worker) => events.push(worker), unregistered: (worker) => events.push(worker) },
    { allowedDomains: ['a.example'], deniedDomains: ['d.example'] },
  )
  running.push(supervisor)
  assert.deepEqual(Object.keys(supervisor), ['socketPath', 'capability', 'workers', 'close'])
  const connection = new RawConnection(supervisor.socketPath)
  const line = (type, members) => request(type, { capability: supervisor.capability, ...members })
  assert.equal(
    await connection.ask(line('register', { id: 'r' })),
    '{"id":"r","action":"allow","network":{"allowedDomains":["a.example"],"deniedDomains":["d.example"]}}',
  )
  assert.equal(await connection.ask(line('network', { id: '1', hostname: 'Ask.example', port: 443 })), '{"id":"1","action":"allow"}')
  const [{ startedAt }] = supervisor.workers()
  assert.deepEqual(supervisor.workers(), [{ id: 'w', cwd: '/', state: 'active', startedAt, requests: 1 }])
  await connection.ask(line('unregister'))
  assert.deepEqual(events, [
    { id: 'w', cwd: '/', startedAt },
    [{ hostname: 'ask.example', port: 443, protocol: 'tcp' }, { id: 'w', cwd: '/' }],
    { id: 'w', cwd: '/' },
  ])
  await supervisor.close()
  assert.equal(await new RawConnection(supervisor.socketPath).line(), undefined)
})

test('createExternalWorkerSupervisor without lists asks about every public host, and with wrong ones denies all', async () => {
  const asked = []
  const approve = ({ hostname }) => {
    asked.push(hostname)
    return 'allow'
  }
  const open = async (...rest) => {
    const supervisor = await compat.createExternalWorkerSupervisor(approve, ...rest)
    running.push(supervisor)
    const { socketPath, capability } = supervisor
    return connectWorker({ socketPath, capability, workerId: 'w', cwd: '/' })
  }
  const plain = await open()
  assert.equal((await plain.decide('a.example', 443)).action, 'allow')
  assert.equal((await plain.decide('127.0.0.1', 443)).action, 'deny')
  const lists = { allowedDomains: ['a.example'], deniedDomains: [] }
  for (const network of [
    null,
    { ...lists, allowedDomains: ['a.example', 5] },
    { ...lists, more: [] },
    { allowedDomains: ['a.example'] },
    Object.create(lists),
    Object.defineProperty({ ...lists }, 'deniedDomains', { enumerable: false }),
  ]) {
    const wrong = await open({}, network)
    assert.deepEqual([wrong.policy.allowedDomains, (await wrong.decide('a.example', 443)).action], [[], 'deny'])
  }
  assert.deepEqual(asked, ['a.example'])
  // The way of the original: everything is asked about, as it was sent.
  const unchecked = await compat.createExternalWorkerSupervisor(approve, {}, undefined, { recheck: false })
  running.push(unchecked)
  const connection = new RawConnection(unchecked.socketPath)
  await connection.ask(request('register', { capability: unchecked.capability }))
  await connection.ask(request('network', { capability: unchecked.capability, hostname: 'LOCALHOST', port: 1 }))
  assert.deepEqual(asked, ['a.example', 'LOCALHOST'])
})
