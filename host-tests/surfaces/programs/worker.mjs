// A worker in Node: joins a supervisor, decides by its policy, and asks it about the rest. The same program as
// wasm-component/python/examples/worker.py and wasm-component/policy-host/examples/worker.rs, which say how it is used.

import { connectWorker } from 'pi-sandbox-policy/node'

import { linesOf } from '../lib/lines.mjs'
import { introduced, said } from '../lib/transcript.mjs'

const [socketPath, workerId, cwd] = process.argv.slice(2)
const lines = linesOf(process.stdin)
const { value: capability = '' } = await lines.next()
const worker = await connectWorker({ socketPath, capability, workerId, cwd })
try {
  console.log(introduced(worker.policy))
  for await (const line of lines) {
    const [host, port] = JSON.parse(line)
    const { action, by, decision } = await worker.decide(host, port)
    console.log(said(host, port, decision, by === 'policy' ? undefined : action))
  }
} finally {
  await worker.close()
}
