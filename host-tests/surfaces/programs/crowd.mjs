// Many workers in one process, all at once; the arguments and the input are those of one worker, and how many. Writes
// down the whole transcript of each in a line.

import { connectWorker } from 'pi-sandbox-policy/node'

import { all, linesOf } from '../lib/lines.mjs'
import { introduced, said } from '../lib/transcript.mjs'

const [count, socketPath, id, cwd] = process.argv.slice(2)
const [capability, ...destinations] = await all(linesOf(process.stdin))

await Promise.all(Array.from({ length: Number(count) }, (_, number) => work(`${id} ${number}`)))

async function work(workerId) {
  const worker = await connectWorker({ socketPath, capability, workerId, cwd })
  const introduction = introduced(worker.policy)
  const lines = destinations.map(async (line) => {
    const [host, port] = JSON.parse(line)
    const { action, by, decision } = await worker.decide(host, port)
    return said(host, port, decision, by === 'policy' ? undefined : action)
  })
  const transcript = [introduction, ...(await Promise.all(lines))]
  await worker.close()
  console.log(JSON.stringify(transcript))
}
