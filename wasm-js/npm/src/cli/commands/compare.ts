import { compare as comparePolicies, type Decision, type NetworkPolicy, type Relation, type Witness } from '../../internal.js'
import { type Command, EXIT, type Given, usageLine } from '../command.js'
import { type Configuration, policyOf, readConfiguration } from '../configuration.js'
import { endpoint } from '../destination.js'
import { Mistake } from '../errors.js'
import { print, printJson } from '../output.js'
import { Places } from '../places.js'
import { printable } from '../terminal/cells.js'
import { type Meaning, type Terminal, terminalOf } from '../terminal/terminal.js'

/** Says what a change of the policy does. */
export const compare: Command = {
  name: 'compare',
  usage: '[OLD] NEW [--json]',
  summary: 'say what a change newly allows, newly denies and newly sends to review',
  details: `Shows each entry that makes a difference, with a destination as the example. The answer is exact.
Without OLD, or with --config OLD, NEW is compared to what is in force, the trusted configuration.
Exits with 0 when NEW gives no destination more access, and with 1 when it gives one more, from deny
to review or from either to allow, or when a configuration is invalid.

  pi-sandbox-policy compare old.json new.json
  git show HEAD:policy.json | pi-sandbox-policy compare - policy.json`,
  options: ['config', 'json'],
  run: async (given) => {
    const [before, after] = await readBoth(given)
    const { relation, narrower, wider } = comparePolicies(before.policy, after.policy)
    if (given.json) {
      const explained = (witnesses: readonly Witness[]): object[] => witnesses.map((witness) => explain(witness, before, after))
      printJson({ old: sideJson(before), new: sideJson(after), relation, narrower: explained(narrower), wider: explained(wider) })
    } else print(show(relation, [...wider, ...narrower], before, after, terminalOf(process.stdout)))
    return wider.length > 0 ? EXIT.no : EXIT.fine
  },
}

/** One of the two. */
interface Side {
  readonly configuration: Configuration
  readonly policy: NetworkPolicy
  readonly places: Places
}

async function readBoth({ operands, config }: Given): Promise<readonly [Side, Side]> {
  const [newer, older, ...rest] = (config === undefined ? operands : [config, ...operands]).toReversed()
  if (newer === undefined || rest.length > 0 || operands.length === 0) {
    throw new Mistake('`compare` takes an old and a new file', usageLine(compare))
  }
  if (newer === '-' && older === '-') throw new Mistake('standard input can be one file only', usageLine(compare))
  // One after the other: of two mistakes the first is told.
  const before = await readConfiguration(older)
  const after = await readConfiguration(newer)
  return [side(before), side(after)]
}

function side(configuration: Configuration): Side {
  return { configuration, policy: policyOf(configuration), places: new Places(configuration) }
}

function sideJson({ configuration, policy }: Side): object {
  return { file: configuration.file, fingerprint: policy.fingerprint }
}

/** The witness with the entries that decide about it. */
function explain(witness: Witness, before: Side, after: Side): object {
  return { ...witness, oldEntry: entryJson(witness, before), newEntry: entryJson(witness, after) }
}

function entryJson({ host, port }: Witness, { policy, places }: Side): object | null {
  const decision = policy.decide(host, port)
  if (decision.reason !== 'rule') return null
  const { list, index, pattern } = decision
  return { list, index, pattern, place: places.of(decision) }
}

const VERDICTS: Readonly<Record<Relation, readonly [Meaning, string]>> = {
  equal: ['good', 'equal: every destination is decided as before'],
  narrower: ['good', 'narrower: less access, and nowhere more'],
  wider: ['error', 'wider: more access, and nowhere less'],
  incomparable: ['error', 'wider and narrower: more access to some destinations, and less to others'],
}

const TITLES = [
  ['allow', 'newly allowed'],
  ['review', 'newly sent to review'],
  ['deny', 'newly denied'],
] as const

function show(relation: Relation, witnesses: readonly Witness[], before: Side, after: Side, terminal: Terminal): string {
  const [meaning, verdict] = VERDICTS[relation]
  const names = `${printable(before.configuration.name)} -> ${printable(after.configuration.name)}`
  const sections = TITLES.flatMap(([action, title]) => {
    const changed = witnesses.filter((witness) => witness.new === action)
    const lines = changed.map((witness) => line(witness, before, after, terminal))
    return lines.length === 0 ? [] : [`${terminal.paint('strong', title)}\n${lines.join('')}`]
  })
  return [`${names}\n${terminal.paint(meaning, verdict)}\n`, ...sections].join('\n')
}

const ACCESS: Readonly<Record<Decision['action'], number>> = { deny: 0, review: 1, allow: 2 }

function line(witness: Witness, before: Side, after: Side, terminal: Terminal): string {
  const more = ACCESS[witness.new] > ACCESS[witness.old]
  const sign = more ? terminal.paint('error', '+') : terminal.paint('good', '-')
  return `  ${sign} ${printable(endpoint(witness))}
      was ${said(witness, before)}
      is  ${said(witness, after)}
`
}

const WORDS = { allow: 'allowed', deny: 'denied', review: 'sent to review' } as const

/** What one side says about a destination, and why. */
function said({ host, port }: Witness, { policy, places }: Side): string {
  const decision = policy.decide(host, port)
  const word = WORDS[decision.action]
  if (decision.reason === 'rule') return printable(`${word} by \`${decision.pattern}\`, ${places.name(decision)}`)
  return `${word}: no entry matches${decision.reason === 'unmatched' ? '' : ', and it is not public'}`
}
