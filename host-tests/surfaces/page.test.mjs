// wasm-component/WORKERS.md: its excerpts are from the programs that it names, and its conversation is a real one.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'

import { NetworkPolicy } from 'pi-sandbox-policy'
import { listen } from 'pi-sandbox-policy/node'

import { RawConnection } from '../../wasm-js/npm/test/sockets.mjs'

const folder = new URL('../../wasm-component/', import.meta.url)
const page = readFileSync(new URL('WORKERS.md', folder), 'utf8')

test('every link leads somewhere', () => {
  for (const [, target] of page.matchAll(/\]\(([^)]+)\)/g)) assert.ok(existsSync(new URL(target, folder)), target)
})

test('every excerpt is from the program that is named before it', () => {
  const excerpts = [...page.matchAll(/From\s+\[[^\]]+\]\(([^)]+)\):\n\n```\w+\n(.*?)\n```\n/gs)]
  assert.deepEqual(excerpts.map(([, program]) => program.split('/').at(-1)), ['worker.rs', 'worker.py', 'worker.mjs'])
  for (const [, program, text] of excerpts) {
    assert.ok(readFileSync(new URL(program, folder), 'utf8').includes(text), `${program} has changed: renew the excerpt on the page`)
  }
})

test('the conversation is a real one', async () => {
  const [, text] = /```text\n(.*?)\n```/s.exec(page)
  const asked = []
  const supervisor = await listen({
    policy: NetworkPolicy.fromTransport({ allowedDomains: ['ok.example'], deniedDomains: ['no.example'] }),
    approve: ({ hostname }) => {
      asked.push(hostname)
      return 'allow'
    },
  })
  after(() => supervisor.close())
  const connection = new RawConnection(supervisor.socketPath)
  const lines = text.replaceAll('$CAPABILITY', supervisor.capability).split('\n')
  for (let at = 0; at < lines.length; at += 2) {
    assert.equal(`< ${await connection.ask(lines[at].replace(/^> /, ''))}`, lines[at + 1], lines[at])
  }
  connection.close()
  assert.deepEqual(asked, ['ask.example'])
  assert.deepEqual(supervisor.workers().map(({ id, state, requests }) => [id, state, requests]), [['build 7', 'exited', 4]])
})
