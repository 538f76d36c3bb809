// The least that a supervisor in JavaScript can do: parse each line and allow it. No capability, no policy, no limits.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'plain-'))
const socketPath = join(folder, 'supervisor.sock')
const server = createServer((socket) => {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) socket.write(`${JSON.stringify({ id: JSON.parse(line).id, action: 'allow' })}\n`)
  })
  socket.on('error', () => undefined)
}).listen(socketPath, () => process.send({ socketPath, capability: '00'.repeat(32) }))
process.once('disconnect', () => {
  server.close()
  rmSync(folder, { recursive: true })
})
