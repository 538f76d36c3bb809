// Workers that ask a supervisor as fast as it answers, one question at a time each.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createConnection } from 'node:net'

import { connectWorker } from 'pi-sandbox-policy/node'

import { now } from './race.mjs'

const HOST = 'review.example'
const ALLOWED = /"action":"allow"/

/** A connection for each question, as the clients of every language make it. */
export class Reconnecting {
  constructor({ socketPath, capability }, number) {
    this.socketPath = socketPath
    this.identity = { version: 1, capability, workerId: `worker ${number}`, cwd: '/repo' }
  }

  start() {
    return this.exchange('register')
  }

  ask() {
    return this.exchange('network', { hostname: HOST, port: 443 })
  }

  async exchange(type, members) {
    const socket = createConnection(this.socketPath)
    socket.write(this.line(type, members))
    check(await reply(socket))
    socket.destroy()
  }

  line(type, members) {
    return `${JSON.stringify({ ...this.identity, id: randomUUID(), type, ...members })}\n`
  }

  end() {}
}

/** One connection for all questions. */
export class Keeping extends Reconnecting {
  async exchange(type, members) {
    this.socket ??= createConnection(this.socketPath)
    this.socket.write(this.line(type, members))
    check(await reply(this.socket))
  }

  end() {
    this.socket.destroy()
  }
}

/** The package's own client. */
export class Client {
  constructor({ socketPath, capability }, number) {
    this.options = { socketPath, capability, workerId: `client ${number}`, cwd: '/repo' }
  }

  async start() {
    this.worker = await connectWorker(this.options)
  }

  async ask() {
    const { action, by } = await this.worker.decide(HOST, 443)
    if (action !== 'allow' || by !== 'supervisor') throw new Error(`${action} by ${by}`)
  }

  end() {}
}

/** Lets all workers ask for some milliseconds. Gives questions per second, and how long each took. */
export async function load(workers, ms) {
  const started = now()
  const end = started + ms * 1e6
  const times = []
  await Promise.all(workers.map(async (worker) => {
    for (let before = now(); before < end; ) {
      await worker.ask()
      const after = now()
      times.push(after - before)
      before = after
    }
  }))
  return { rate: times.length / ((now() - started) / 1e9), times }
}

/** One whole line. */
async function reply(socket) {
  let line = ''
  while (!line.endsWith('\n')) {
    const [bytes] = await once(socket, 'data')
    line += bytes
  }
  return line
}

function check(line) {
  if (!ALLOWED.test(line)) throw new Error(`the supervisor answered ${line}`)
}
