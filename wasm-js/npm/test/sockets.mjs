// Both ends of the protocol, made by hand, so that they can misbehave.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A worker's connection. */
export class RawConnection {
  #received = ''
  #news = later()
  ended = false

  constructor(path) {
    this.socket = createConnection({ path })
    this.socket.setEncoding('utf8')
    this.socket.on('data', (text) => this.#tell(() => (this.#received += text)))
    this.socket.on('close', () => this.#tell(() => (this.ended = true)))
    this.socket.on('error', () => undefined)
  }

  write(text) {
    this.socket.write(text)
    return this
  }

  /** The next line; undefined when the connection has ended without one. */
  async line() {
    for (;;) {
      const end = this.#received.indexOf('\n')
      if (end >= 0) {
        const line = this.#received.slice(0, end)
        this.#received = this.#received.slice(end + 1)
        return line
      }
      if (this.ended) return undefined
      await this.#news.promise
    }
  }

  /** Sends one line and gives the reply. */
  ask(line) {
    return this.write(`${line}\n`).line()
  }

  close() {
    this.socket.destroy()
  }

  #tell(change) {
    change()
    const { resolve } = this.#news
    this.#news = later()
    resolve()
  }
}

function later() {
  let resolve
  const promise = new Promise((settle) => (resolve = settle))
  return { promise, resolve }
}

/** A supervisor that does what `respond(request, socket)` says for each line. */
export async function fakeSupervisor(respond) {
  const folder = mkdtempSync(join(tmpdir(), 'fake-'))
  const path = join(folder, 's.sock')
  const sockets = new Set()
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes) => {
      received += bytes
      if (received.endsWith('\n')) respond(JSON.parse(received), socket)
    })
  }).listen({ path })
  await once(server, 'listening')
  return {
    path,
    sockets,
    async close() {
      sockets.forEach((socket) => socket.destroy())
      if (server.listening) await new Promise((closed) => server.close(closed))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until a condition holds. */
export async function until(condition, what) {
  const deadline = Date.now() + 10_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within 10 s: ${what}`)
    await new Promise((later) => setTimeout(later, 5))
  }
}
