// `node supervisor.mjs OUTPUT [--quick]`: questions through a live supervisor, beside one that only parses and echoes.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { Client, Keeping, load, Reconnecting } from './lib/asks.mjs'
import { Part, progress } from './lib/part.mjs'
import { median } from './lib/race.mjs'

const [output, ...flags] = process.argv.slice(2)
const quick = flags.includes('--quick')
const ROUNDS = quick ? 5 : 15
const TURN = quick ? 150 : 300
const WORKERS = [1, 10, 100]

const part = new Part('supervisor', 'A live supervisor')
const [reconnecting, keeping, clients] = [[], [], []]
for (const count of WORKERS) {
  progress(`supervisor: ${count} workers`)
  // New ones each time: a supervisor remembers every id, and only so many.
  const [policy, plain] = [await start('policy.mjs'), await start('plain.mjs')]
  for (const [kind, rows] of [[Reconnecting, reconnecting], [Keeping, keeping]]) {
    rows.push([count, ...(await compare(count, kind, policy, plain))])
  }
  const [{ rates, times }] = await takeTurns([await crew(count, Client, policy)])
  clients.push([count, median(rates), quantile(times, 0.5), quantile(times, 0.99)])
  for (const { process } of [policy, plain]) {
    process.disconnect()
    await once(process, 'exit')
  }
}

const COLUMNS = [
  ['workers', 'count'],
  ['asks per second', 'count'],
  ['median', 'time'],
  ['99 of 100 within', 'time'],
  ['plain: asks per second', 'count'],
  ['plain: median', 'time'],
  ['plain: 99 of 100 within', 'time'],
  ['asks per second to plain', 'ratio'],
]
part.section(
  'A connection for each ask',
  'Workers that ask about a host in review, one question at a time each, and connect for each as the clients of every ' +
    'language do. The supervisor of the npm package (600 entries; an approver who allows at once) and the *plain* one, which parses ' +
    'each line and allows it, are processes that take turns; all workers are in one other process.',
  COLUMNS,
  reconnecting,
)
part.section('A connection that is kept', 'The same over one connection for each worker.', COLUMNS, keeping)
part.section(
  "The package's client",
  'The same by `connectWorker`: the policy decides first, in the worker.',
  COLUMNS.slice(0, 4),
  clients,
)
part.write(output)

async function compare(count, kind, policy, plain) {
  const crews = [await crew(count, kind, policy), await crew(count, kind, plain)]
  const [own, other] = await takeTurns(crews)
  const figures = ({ rates, times }) => [median(rates), quantile(times, 0.5), quantile(times, 0.99)]
  const ratio = median(own.rates.map((rate, round) => rate / other.rates[round]))
  return [...figures(own), ...figures(other), ratio]
}

/** Workers who have registered; each kind has names of its own. */
async function crew(count, kind, supervisor) {
  const workers = Array.from({ length: count }, (_, number) => new kind(supervisor, `${kind.name} ${number}`))
  await Promise.all(workers.map((worker) => worker.start()))
  return workers
}

async function takeTurns(crews) {
  const outcomes = crews.map(() => ({ rates: [], times: [] }))
  // In the first round compilers do their work.
  for (let round = -1; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < crews.length; turn += 1) {
      const at = (turn + round + 1) % crews.length
      const { rate, times } = await load(crews[at], TURN)
      if (round < 0) continue
      outcomes[at].rates.push(rate)
      for (const time of times) outcomes[at].times.push(time)
    }
  }
  crews.flat().forEach((worker) => worker.end())
  return outcomes
}

function quantile(values, part) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)]
}

async function start(file) {
  const child = fork(fileURLToPath(new URL(`supervisors/${file}`, import.meta.url)))
  const [{ socketPath, capability }] = await once(child, 'message')
  return { process: child, socketPath, capability }
}
