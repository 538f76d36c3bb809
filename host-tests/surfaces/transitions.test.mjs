// The tables of policy-core/spec/supervisor.md, row by row: each row is brought about, and what the page says must happen.
// A row that nobody brings about fails, and so does one that is not on the page.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { NetworkPolicy, RequestRefusedError, Supervisor, Worker } from 'pi-sandbox-policy'

const CAPABILITY = 'ab'.repeat(32)
const DENY_ALL = { allowedDomains: [], deniedDomains: ['*'] }
const POLICY = NetworkPolicy.fromTransport({ allowedDomains: ['ok.example'], deniedDomains: ['no.example'] })
const TIMEOUT = 30_000

/** A supervisor, and a worker `w` that may be in any state; `v` is another, active one. Both are worth one connection. */
class World {
  id = 0
  now = 0

  constructor(options) {
    this.supervisor = new Supervisor(POLICY, CAPABILITY, options)
    this.connection = this.supervisor.open()
    this.send('register', { workerId: 'v', cwd: '/v' })
  }

  /** `w` in a state. */
  static in(state, options) {
    const world = new World(options)
    if (state !== 'unknown') world.send('register')
    if (state === 'exited') world.send('unregister')
    return world
  }

  line(type, members) {
    this.id += 1
    return JSON.stringify({ version: 1, capability: CAPABILITY, id: `${this.id}`, type, workerId: 'w', cwd: '/w', ...members })
  }

  send(type, members) {
    return this.frame(this.line(type, members))
  }

  ask(hostname = 'ask.example', members) {
    return this.send('network', { hostname, port: 443, ...members })
  }

  frame(line, connection = this.connection) {
    this.supervisor.receive(connection, new TextEncoder().encode(`${line}\n`), this.now)
    return this.outputs()
  }

  /** What is to be done, in the words of the page. */
  outputs() {
    const words = []
    for (let output; (output = this.supervisor.poll()) !== undefined; ) words.push(inWords(output))
    return words
  }

  /** `w` as the supervisor sees it. */
  get state() {
    return this.supervisor.workers().find(({ id }) => id === 'w')?.state ?? 'unknown'
  }

  get counted() {
    return this.supervisor.workers().find(({ id }) => id === 'w')?.requests ?? 0
  }

  /** Whether the last id was used up: another worker would otherwise leave with it. */
  get used() {
    this.id -= 1
    return !this.send('unregister', { workerId: 'v', cwd: '/v' }).includes('allow')
  }
}

function inWords(output) {
  if (output.type === 'ask') return 'the approver is asked'
  if (output.type === 'close') return 'end it'
  if (output.type !== 'reply') return output.type
  const { id, action, network } = JSON.parse(output.line)
  if (network !== undefined) return `${action} with \`network\``
  if (id === undefined) return `bare ${action}`
  return action === 'deny' ? 'deny with the id' : action
}

/** What the page says is to be done, as a list; so many requests wait. */
function saidOf(cell, waiting = 0) {
  const elsewhere = ['none yet', 'nothing', 'there is nobody to answer', 'its asks as above']
  return cell.split('; ').filter((words) => !elsewhere.includes(words)).flatMap((words) =>
    words === 'deny with its id for each waiting request, each ask withdrawn'
      ? Array.from({ length: waiting }, () => ['deny with the id', 'withdrawn']).flat()
      : [words],
  )
}

const STATES = ['unknown', 'active', 'exited']
const network = (members) => ['network', { hostname: 'ok.example', port: 443, ...members }]

/** Worlds, and a request that `w` makes in each. */
const REQUESTS = {
  'any | a frame that breaks SUPERVISOR-1 to 7 or 10, or has another `type`': STATES.flatMap((state) =>
    [
      ['register', { version: 2 }],
      ['register', { capability: CAPABILITY.toUpperCase() }],
      ['network', { id: '' }],
      ['network', { workerId: 5 }],
      ['register', { workerId: 'x'.repeat(129) }],
      ['unregister', { cwd: 'relative' }],
      ['leave', {}],
      [undefined, {}],
    ].map((request) => [World.in(state), ...request]),
  ),
  'unknown | `register`': [[World.in('unknown'), 'register']],
  'unknown, no room | `register`': [[World.in('unknown', { limits: { workers: 1 } }), 'register']],
  'active, exited | `register`': ['active', 'exited'].map((state) => [World.in(state), 'register']),
  'unknown, exited | `network`, `unregister`': ['unknown', 'exited'].flatMap((state) => [
    [World.in(state), ...network()],
    [World.in(state), 'unregister'],
  ]),
  'active | `network`, `unregister` from another `cwd`': [
    [World.in('active'), ...network({ cwd: '/other' })],
    [World.in('active'), 'unregister', { cwd: '/other' }],
  ],
  'active | `network` that breaks SUPERVISOR-12': [
    [World.in('active'), ...network({ port: 0 })],
    [World.in('active'), ...network({ port: '443' })],
    [World.in('active'), ...network({ port: 65_979 })],
    [World.in('active'), ...network({ hostname: 'x'.repeat(254) })],
    [World.in('active'), ...network({ hostname: null })],
  ],
  'active, no room for ids | `network`': [[World.in('active', { limits: { requestIds: 4 } }), ...network()]],
  'active | `network`, recheck, policy allows': [[World.in('active'), ...network()]],
  'active | `network`, recheck, policy denies': [[World.in('active'), ...network({ hostname: 'no.example' })]],
  'active | `network`, recheck and review, or no recheck': [
    [World.in('active'), ...network({ hostname: 'ask.example' })],
    [World.in('active', { recheck: false }), ...network()],
    [World.in('active', { recheck: false }), ...network({ hostname: 'no.example' })],
  ],
  'active, no room for asks | the same': [{ pendingAsks: 1 }, { pendingAsksPerWorker: 1 }].map((limits) => {
    const world = World.in('active', { limits })
    world.ask()
    return [world, ...network({ hostname: 'ask.example' })]
  }),
  'active | `unregister`': [[waiting(2), 'unregister']],
}

/** `w` with so many asks that wait. */
function waiting(count, options) {
  const world = World.in('active', options)
  for (let ask = 0; ask < count; ask += 1) world.ask()
  return world
}

/** What is done to a world in which one ask, the first, waits. */
const ASKS = {
  "waiting | the approver's answer, in time": (world) => world.supervisor.answer(1, 'allow', TIMEOUT - 1),
  "waiting | the approver's answer, too late": (world) => world.supervisor.answer(1, 'allow', TIMEOUT),
  'waiting | time over, noticed by the host': (world) => world.supervisor.expire(TIMEOUT),
  'waiting | its worker unregisters': (world) => world.supervisor.receiveLine(world.supervisor.open(), world.line('unregister'), 0),
  'waiting | its connection ends': (world) => world.supervisor.close(world.connection),
  'waiting | a line too long on its connection': (world) => world.supervisor.receive(world.connection, new Uint8Array(16_385), 0),
  'waiting | shutdown': (world) => world.supervisor.shutdown(),
}

/** What an ask that is over, or that never was, takes without a word. */
const NO_MORE = [
  (world) => world.supervisor.answer(1, 'allow', 0),
  (world) => world.supervisor.answer(2, 'allow', 0),
  (world) => world.supervisor.expire(TIMEOUT),
]

const CONNECTIONS = {
  '— | it is made': [(world) => world.supervisor.open(), new World()],
  '—, no room or after shutdown | it is made': [(world) => world.supervisor.open(), World.in('active', { limits: { connections: 1 } }), ended()],
  'open | bytes without a newline, within the limit': [(world) => world.supervisor.receive(world.connection, new Uint8Array(16_384), 0), waiting(1)],
  'open | a line': [(world) => world.supervisor.receiveLine(world.connection, '', 0), waiting(1)],
  'open | a line too long': [(world) => world.supervisor.receive(world.connection, new Uint8Array(16_385), 0), waiting(1)],
  'open | the 16th line that gets a bare deny': [
    (world) => {
      world.supervisor.receive(world.connection, new Uint8Array(15).fill(10), 0)
      for (let line = 0; line < 15; line += 1) assert.equal(world.supervisor.poll().line, '{"action":"deny"}')
      world.supervisor.receive(world.connection, new Uint8Array(4_096).fill(10), 0)
    },
    waiting(1),
  ],
  'open | it ends': [(world) => world.supervisor.close(world.connection), waiting(1)],
  'open | shutdown': [(world) => world.supervisor.shutdown(), waiting(1)],
  'ended, never made | any': [
    (world) => {
      world.supervisor.receiveLine(world.connection, world.line('register', { workerId: 'u' }), 0)
      world.supervisor.receive(99, new Uint8Array(16_385), 0)
      world.supervisor.close(world.connection)
    },
    ended(),
  ],
}

/** After a shutdown. */
function ended() {
  const world = new World()
  world.supervisor.shutdown()
  world.outputs()
  return world
}

const page = readFileSync(new URL('../../policy-core/spec/supervisor.md', import.meta.url), 'utf8')

/** The rows of a table of the page: what is before them in the first two columns, and the further columns. */
function table(head) {
  const lines = page.slice(page.indexOf(`| ${head} |`)).split('\n')
  const rows = lines.slice(2, lines.indexOf(''))
  return new Map(rows.map((row) => {
    const [state, input, ...rest] = row.slice(2, -2).split(' | ')
    return [`${state} | ${input}`, rest]
  }))
}

function eachRow(head, rows, check) {
  const said = table(head)
  assert.deepEqual([...said.keys()], Object.keys(rows))
  for (const [row, cells] of said) check(rows[row], cells, row)
}

test('requests', () => {
  eachRow('state of the worker', REQUESTS, (worlds, [to, used, answer], row) => {
    for (const [world, type, members] of worlds) {
      const [before, counted] = [world.state, world.counted]
      const outputs = world.send(type, members)
      const [state, growth] = to.split(', ')
      const what = `${row}: ${type} ${JSON.stringify(members)}`
      assert.deepEqual(outputs, saidOf(answer, 2), what)
      assert.equal(world.state, state === 'the same' ? before : state, what)
      assert.equal(world.counted - counted, growth === 'counted' ? 1 : 0, what)
      assert.equal(world.used, used === 'yes', what)
    }
  })
})

test('asks', () => {
  const rows = { ...ASKS, 'over, never made | any': undefined }
  eachRow('state of an ask', rows, (act, [to, answer], row) => {
    if (act === undefined) {
      // Shown by what follows each of the others.
      assert.deepEqual([to, answer], ['the same', 'nothing'])
      return
    }
    const world = waiting(1)
    act(world)
    // What the connection gets, or a worker that unregisters, is in the other tables.
    const elsewhere = act === ASKS['waiting | its worker unregisters'] ? ['allow', 'unregistered'] : ['bare deny', 'end it']
    const own = world.outputs().filter((words) => !elsewhere.includes(words))
    assert.deepEqual(own, answer === 'that answer, with the id' ? ['allow'] : saidOf(answer), row)
    assert.equal(to, 'over')
    assert.equal(world.supervisor.nextDeadline(), undefined, row)
    for (const more of NO_MORE) more(world)
    assert.deepEqual(world.outputs(), [], row)
  })
})

test('connections', () => {
  eachRow('state of a connection', CONNECTIONS, ([act, ...worlds], [to, answer], row) => {
    for (const world of worlds) {
      const connection = act(world) ?? world.connection
      const outputs = world.outputs()
      if (answer === 'as the first table says') assert.deepEqual(outputs, ['bare deny'], row)
      else {
        const ofAsks = outputs.filter((words) => ['deny with the id', 'withdrawn'].includes(words))
        assert.equal(ofAsks.length > 0, answer.includes('its asks as above'), row)
        assert.deepEqual(outputs.filter((words) => !ofAsks.includes(words)), saidOf(answer), row)
      }
      // An open connection answers, after what it has begun.
      const open = world.frame('', connection).length > 0
      assert.equal(open ? 'open' : 'ended', to === 'the same' ? 'ended' : to, row)
    }
  })
})

/** A worker in a stage. */
class Side {
  now = 0
  id = 0
  exchanges = []

  constructor(stage) {
    this.worker = new Worker(CAPABILITY, 'w', '/w')
    if (stage === 'new') return
    this.request('register')
    if (stage === 'registering') return
    this.reply(stage === 'stopped' ? 'deny' : 'allow')
    if (stage === 'leaving') this.request('unregister')
    this.outcomes()
  }

  /** Gives what it comes to at once: a line to send, or a refusal. */
  request(type, ...rest) {
    this.id += 1
    try {
      const { exchange } = this.worker[type](`${this.id}`, ...rest, this.now)
      this.exchanges.push([exchange, `${this.id}`])
      return 'a line to send'
    } catch (error) {
      assert.ok(error instanceof RequestRefusedError, String(error))
      return 'refused: no line, no outcome'
    }
  }

  reply(action, [exchange, id] = this.exchanges.at(-1)) {
    const network = POLICY.toJSON()
    this.worker.receive(exchange, new TextEncoder().encode(`${JSON.stringify({ id, action, network })}\n`), this.now)
  }

  outcomes() {
    const answers = []
    for (let outcome; (outcome = this.worker.poll()) !== undefined; ) answers.push(outcome.answer)
    return answers
  }
}

const endings = (stage, prepare = () => undefined) =>
  [
    (side) => side.reply('deny'),
    (side) => side.worker.end(side.exchanges.at(-1)[0]),
    (side) => side.worker.expire(TIMEOUT),
    (side) => side.worker.receive(side.exchanges.at(-1)[0], new Uint8Array(16_385), 0),
  ].map((act) => {
    const side = new Side(stage)
    prepare(side)
    return [side, act]
  })

const asking = (side) => side.request('network', 'ask.example', 443)
const asks = () => {
  const side = new Side('active')
  asking(side)
  return side
}

/** Sides, what is done to each, and which outcomes that has; what it comes to at once is on the page. */
const STAGES = {
  'new | `register`': [[new Side('new'), (side) => side.request('register'), []]],
  'registering | allow': [[new Side('registering'), (side) => side.reply('allow'), ['allow']]],
  'registering | any other reply, time over, connection ended': endings('registering').map(([side, act]) => [side, act, ['deny']]),
  'active | `network`': [[new Side('active'), asking, []]],
  'active | the reply to a `network` request': [
    [asks(), (side) => side.reply('allow'), ['allow']],
    [asks(), (side) => side.reply('deny'), ['deny']],
  ],
  'active | time over, connection ended': endings('active', asking).slice(1).map(([side, act]) => [side, act, ['deny']]),
  'active | `unregister`': [[asks(), (side) => side.request('unregister'), ['deny']]],
  'leaving | any reply, time over, connection ended': [
    ...endings('leaving').map(([side, act]) => [side, act, ['deny']]),
    [new Side('leaving'), (side) => side.reply('allow'), ['allow']],
  ],
  'any | a request that the stage has not, or that breaks a rule': [
    ...['new', 'registering', 'leaving', 'stopped'].flatMap((stage) => [
      [new Side(stage), asking, []],
      [new Side(stage), (side) => side.request('unregister'), []],
    ]),
    ...['registering', 'active', 'leaving', 'stopped'].map((stage) => [new Side(stage), (side) => side.request('register'), []]),
    [new Side('active'), (side) => side.request('network', 'ask.example', 0), []],
    [new Side('active'), (side) => side.request('network', 'x'.repeat(254), 443), []],
  ],
  'any | an input for an exchange that is over': ['active', 'stopped'].flatMap((stage) =>
    endings(stage).map(([side, act]) => [side, act, []]),
  ),
}

test('the stages of a worker', () => {
  eachRow('stage', STAGES, (sides, [to, outcome], row) => {
    for (const [side, act, outcomes] of sides) {
      const before = side.worker.stage
      const atOnce = act(side)
      if (atOnce !== undefined) assert.ok(outcome.endsWith(atOnce), `${row}: ${atOnce}`)
      assert.deepEqual(side.outcomes(), outcomes, row)
      assert.ok(outcomes.every((answer) => outcome.includes(answer)), row)
      assert.equal(outcomes.length > 0, /allow|deny/.test(outcome), row)
      const [stage] = to.split(',')
      assert.equal(side.worker.stage, stage === 'the same' ? before : stage, row)
      assert.deepEqual(side.worker.policy.toJSON(), side.worker.stage === 'active' ? POLICY.toJSON() : DENY_ALL, row)
    }
  })
})
