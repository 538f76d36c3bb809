// The main agent: a live supervisor, decisions of its own, and subagents that it forks and hands the policy to.
//
// It is told what to do in messages of its parent: the first has the policy, its own destinations, and those of each
// subagent. It says what happens in others. Its own transcript goes to its
// standard output; that of subagent N to the descriptor 4 + N, so that it can be read when the agent is gone.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { NetworkPolicy } from 'pi-sandbox-policy'
import { listen } from 'pi-sandbox-policy/node'

import { approve } from '../lib/approver.mjs'
import { introduced, said } from '../lib/transcript.mjs'

const [{ network, folder, askTimeoutMs, destinations, subagents }] = await once(process, 'message')
const policy = NetworkPolicy.fromTransport(network)

/** Asks the approver, and lets the parent know. */
const asking = (destination, worker) => {
  process.send({ asked: [worker.id, worker.cwd, destination.hostname, destination.port] })
  return approve(destination)
}

const supervisor = await listen({
  policy,
  approve: asking,
  folder,
  askTimeoutMs,
  onError: (error) => process.send({ error: error.message }),
})

console.log(introduced(policy))
for (const [host, port] of destinations) {
  const decision = policy.decide(host, port)
  console.log(said(host, port, decision, decision.action === 'review' ? await review('agent', decision.host, port) : undefined))
}

const children = subagents.map((destinations, number) => {
  const program = fileURLToPath(new URL('subagent.mjs', import.meta.url))
  const child = fork(program, { stdio: ['ignore', 4 + number, 'inherit', 'ipc'] })
  child.send({ network: policy.toJSON(), destinations })
  child.on('message', async ({ ask, hostname, port }) => {
    const answer = await review(`subagent-${number}`, hostname, port)
    if (child.connected) child.send({ ask, answer })
  })
  return once(child, 'exit')
})

process.on('disconnect', () => process.exit())
process.send({ socketPath: supervisor.socketPath, capability: supervisor.capability })
process.on('message', async (message) => {
  if (message === 'workers') process.send({ workers: supervisor.workers() })
  if (message !== 'close') return
  await Promise.all(children)
  await supervisor.close()
  process.disconnect()
})

/** What becomes of a review inside the agent: the rules that the supervisor has for its workers. */
async function review(id, hostname, port) {
  if (port === 0) return 'deny'
  try {
    return (await asking({ hostname, port }, { id, cwd: '/' })) === 'allow' ? 'allow' : 'deny'
  } catch {
    return 'deny'
  }
}
