// The processes of the tests, and what they say.

import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { all, linesOf } from './lines.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target')
const program = (name) => fileURLToPath(new URL(`../programs/${name}`, import.meta.url))

/** The npm package as it is built. */
export const PACKAGE = join(root, 'target/artifacts/npm/package')

/** The workers that are programs of their own, and how each is started. All take the same arguments and the same input. */
export const WORKERS = {
  node: [process.execPath, program('worker.mjs')],
  rust: [join(target, 'debug/examples/worker')],
  python: [join(root, 'target/python/bin/python3'), join(root, 'wasm-component/python/examples/worker.py')],
}

/** So many workers in one process. */
export const crowd = (count) => [process.execPath, program('crowd.mjs'), count]

const running = new Set()

/** Leaves nothing of a test behind that failed. */
export async function endAll() {
  await Promise.all([...running].map((program) => program.kill()))
}

/** A process of which every line and the end are awaited. */
class Program {
  #lines
  errors = ''

  constructor(child) {
    this.child = child
    running.add(this)
    this.#lines = linesOf(child.stdout)
    child.stderr?.setEncoding('utf8').on('data', (text) => (this.errors += text))
    child.stdin?.on('error', () => undefined)
    this.ended = once(child, 'close').then(([code, signal]) => {
      running.delete(this)
      return signal ?? code
    })
  }

  /** The next line; undefined when there is none. */
  async line() {
    return (await this.#lines.next()).value
  }

  /** All further lines. */
  rest() {
    return all(this.#lines)
  }

  kill() {
    this.child.kill('SIGKILL')
    return this.ended
  }
}

/** An external worker of a kind, or of another command with the same arguments and input. */
export class WorkerProgram extends Program {
  constructor(kind, { socketPath, capability }, id = `${kind} worker`, cwd = `/${id}`) {
    const [command, ...first] = WORKERS[kind] ?? kind
    super(spawn(command, [...first, socketPath, id, cwd], { stdio: 'pipe' }))
    this.id = id
    this.cwd = cwd
    this.child.stdin.write(`${capability}\n`)
  }

  /** Hands over destinations. */
  send(...destinations) {
    for (const destination of destinations) this.child.stdin.write(`${JSON.stringify(destination)}\n`)
    return this
  }

  /** There are no more. Gives all further lines. */
  finish() {
    this.child.stdin.end()
    return this.rest()
  }
}

/** The main agent, its supervisor and its subagents. */
export class Agent extends Program {
  #answers = []
  #folder
  #news = () => undefined
  /** Every question to the approver: worker, its directory, host, port. */
  asked = []
  /** What the supervisor reported. */
  reported = []

  /** Starts one; the promise is kept when it listens. */
  static async start({ network, destinations = [], subagents = [], askTimeoutMs }) {
    const pipes = subagents.map(() => 'pipe')
    const agent = new Agent(fork(program('agent.mjs'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc', ...pipes] }))
    agent.#folder = mkdtempSync(join(tmpdir(), 'agent-'))
    /** Its own lines and those of its subagents, when they have ended. */
    agent.transcripts = Promise.all([agent.rest(), ...pipes.map((_, number) => all(linesOf(agent.child.stdio[4 + number])))])
    agent.child.send({ network, folder: agent.#folder, destinations, subagents, askTimeoutMs })
    return Object.assign(agent, await agent.#answer())
  }

  constructor(child) {
    super(child)
    child.on('message', (message) => {
      if (message.asked) this.asked.push(message.asked)
      else if (message.error !== undefined) this.reported.push(message.error)
      else this.#answers.push(message)
      this.#news()
    })
  }

  /** Waits until the approver was asked for a host, by so many. */
  async isAsked(hostname, times = 1) {
    while (this.asked.filter((asked) => asked[2] === hostname).length < times) await this.#somethingNew()
  }

  /** Every worker that ever registered. */
  async workers() {
    this.child.send('workers')
    return (await this.#answer()).workers
  }

  /** Ends it when its subagents have ended. Gives how it ended, and what is left in the folder where its socket was. */
  async close() {
    this.child.send('close')
    const end = await this.ended
    return { end, left: this.removeFolder() }
  }

  removeFolder() {
    const left = readdirSync(this.#folder)
    rmSync(this.#folder, { recursive: true })
    return left
  }

  async #answer() {
    while (this.#answers.length === 0) await this.#somethingNew()
    return this.#answers.shift()
  }

  #somethingNew() {
    return new Promise((resolve) => (this.#news = resolve))
  }
}
