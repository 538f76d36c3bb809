import { type Decision, NetworkPolicy } from '../../internal.js'
import { type Command, EXIT, readArgs, UsageError, usageLine } from '../command.js'
import { readDestination } from '../destination.js'
import { readPolicyFile } from '../policy-file.js'
import { type Meaning, printable, style } from '../style.js'

/** Says what happens with destinations, and why. */
export const explain: Command = {
  name: 'explain',
  usage: 'HOST[:PORT]… [--config FILE] [--json]',
  summary: 'say what the policy decides about destinations, and which rule decides',
  details: `The port is 443 unless given. An IPv6 address with a port stands in brackets: [::1]:8080.
Exits with 0 when everything is allowed, with 1 when something is denied, and otherwise with 3,
when something is to be reviewed.

  pi-sandbox-policy explain github.com pypi.org:443
  pi-sandbox-policy explain --config draft.json 127.1:8080`,
  run,
}

function run(args: readonly string[]): number {
  const { values, positionals } = readArgs(explain, args, {
    config: { type: 'string' },
    json: { type: 'boolean' },
  })
  if (positionals.length === 0) throw new UsageError('explain needs a destination', usageLine(explain))
  const destinations = positionals.map((text) => ({ asked: text, ...readDestination(text) }))
  const policy = NetworkPolicy.fromConfig(readPolicyFile(values.config).text)
  const answers = destinations.map(({ asked, host, port }) => ({ asked, decision: policy.decide(host, port) }))
  const write = values.json === true ? jsonLine : humanLine
  const width = Math.max(...answers.map(({ asked }) => printable(asked).length))
  for (const { asked, decision } of answers) process.stdout.write(`${write(asked, decision, width)}\n`)
  return worst(answers.map(({ decision }) => decision))
}

function jsonLine(asked: string, decision: Decision): string {
  return JSON.stringify({ asked, decision })
}

const MEANINGS: Record<Decision['action'], Meaning> = { allow: 'good', deny: 'bad', review: 'ask' }

function humanLine(asked: string, decision: Decision, width: number): string {
  const action = style(process.stdout, MEANINGS[decision.action], decision.action.padEnd('review'.length))
  return `${action}  ${printable(asked).padEnd(width)}  ${printable(why(decision))}`
}

function why(decision: Decision): string {
  switch (decision.reason) {
    case 'rule':
      return `${endpoint(decision)} matches ${decision.list}[${decision.index}] "${decision.pattern}"`
    case 'malformed-host':
      return 'this is no host'
    case 'not-public':
      return `${endpoint(decision)} matches no rule and is no public hostname`
    case 'unmatched':
      return `${endpoint(decision)} matches no rule: somebody has to approve this connection`
  }
}

function endpoint({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function worst(decisions: readonly Decision[]): number {
  const actions = new Set(decisions.map(({ action }) => action))
  return actions.has('deny') ? EXIT.deny : actions.has('review') ? EXIT.review : EXIT.fine
}
