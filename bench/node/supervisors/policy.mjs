// A supervisor as a process of its own: the package's, with an approver who allows at once. Sends where it listens.

import { NetworkPolicy } from 'pi-sandbox-policy'
import { listen } from 'pi-sandbox-policy/node'

const entries = (prefix) => Array.from({ length: 300 }, (_, number) => `${prefix}${number}.example`)
const supervisor = await listen({
  policy: NetworkPolicy.fromTransport({ allowedDomains: entries('*.allowed'), deniedDomains: entries('denied') }),
  approve: () => 'allow',
})
const { socketPath, capability } = supervisor
process.send({ socketPath, capability })
process.once('disconnect', () => supervisor.close())
