// A built-in subagent: gets the policy from the main agent by IPC, as a value, and asks it by IPC.

import { once } from 'node:events'

import { NetworkPolicy } from 'pi-sandbox-policy'

import { introduced, said } from '../lib/transcript.mjs'

const waiting = new Map()
let last = 0
// Whoever cannot be asked has not allowed anything.
process.on('disconnect', () => waiting.forEach((settle) => settle('deny')))
process.on('message', ({ ask, answer }) => {
  waiting.get(ask)?.(answer)
  waiting.delete(ask)
})

const [{ network, destinations }] = await once(process, 'message')
const policy = NetworkPolicy.fromTransport(network)
console.log(introduced(policy))
for (const [host, port] of destinations) {
  const decision = policy.decide(host, port)
  console.log(said(host, port, decision, decision.action === 'review' ? await review(decision.host, port) : undefined))
}
if (process.connected) process.disconnect()

function review(hostname, port) {
  if (!process.connected) return 'deny'
  return new Promise((settle) => {
    last += 1
    waiting.set(last, settle)
    process.send({ ask: last, hostname, port })
  })
}
