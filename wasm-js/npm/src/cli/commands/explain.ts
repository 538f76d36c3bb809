import type { Decision, Explanation } from '../../internal.js'
import { type Command, EXIT, usageLine } from '../command.js'
import { type Configuration, policyOf, readConfiguration } from '../configuration.js'
import { type Destination, endpoint, readDestination } from '../destination.js'
import { Mistake } from '../errors.js'
import { print, printJson } from '../output.js'
import { Places } from '../places.js'
import { printable } from '../terminal/cells.js'
import { Excerpts } from '../terminal/excerpt.js'
import { type Meaning, type Terminal, terminalOf } from '../terminal/terminal.js'

/** Says what happens with destinations, and why. */
export const explain: Command = {
  name: 'explain',
  usage: 'HOST[:PORT]… [--config FILE] [--json]',
  summary: 'say what the policy decides about a destination, and why',
  details: `The port is 443 unless given. An IPv6 address with a port stands in brackets: [::1]:8080.
Exits with 0 when everything is allowed, with 1 when something is denied or the configuration is
invalid, and otherwise with 3, when something goes to review. With --json each destination is a line.

  pi-sandbox-policy explain github.com pypi.org:443
  pi-sandbox-policy explain --config draft.json 127.1:8080`,
  options: ['config', 'json'],
  run: async ({ operands, config, json }) => {
    if (operands.length === 0) throw new Mistake('`explain` needs a destination', usageLine(explain))
    const destinations = operands.map((asked) => ({ asked, ...readDestination(asked) }))
    const configuration = await readConfiguration(config)
    const policy = policyOf(configuration)
    const places = new Places(configuration)
    const answers = destinations.map((to) => ({ ...to, explanation: policy.explain(to.host, to.port) }))
    if (json) {
      for (const { asked, explanation } of answers) printJson({ asked, ...located(explanation, places) })
    } else {
      const terminal = terminalOf(process.stdout)
      print(answers.map((to) => show(to, to.explanation, configuration, places, terminal)).join('\n'))
    }
    return worst(answers.map(({ explanation }) => explanation.decision))
  },
}

/** With the place of each entry in the file. */
function located(explanation: Explanation, places: Places): object {
  return {
    ...explanation,
    matches: explanation.matches.map((match) => ({ ...match, place: places.of(match) })),
    misses: explanation.misses.map((miss) => ({ ...miss, place: places.of(miss) })),
  }
}

const MEANINGS: Readonly<Record<Decision['action'], Meaning>> = { allow: 'good', deny: 'error', review: 'warning' }

function show(
  to: Destination,
  { decision, summary, steps, matches, matchesOmitted, misses, missesOmitted }: Explanation,
  configuration: Configuration,
  places: Places,
  terminal: Terminal,
): string {
  const place = decision.reason === 'rule' ? places.of(decision) : null
  const excerpts = new Excerpts(configuration.text, place?.line ?? 1, terminal)
  const meaning = MEANINGS[decision.action]
  const parts = [`${terminal.paint(meaning, decision.action)}: ${printable(endpoint(to))}\n`]
  if (place !== null) {
    parts.push(excerpts.place(printable(`${configuration.name}:${place.line}:${place.column}`)))
    parts.push(excerpts.marked(place, place.line, meaning))
  }
  const note = (label: string, text: string): number => parts.push(excerpts.note(label, printable(text)))
  for (const { message, host } of steps) note('judged as', `\`${host}\`, ${message}`)
  note('because', summary)
  for (const match of matches) {
    if (match.decides) continue
    const lost = decision.action === 'deny' && match.list === 'allowedDomains' ? 'a denied entry wins' : 'the first one counts'
    note('also matches', `\`${match.pattern}\` at ${match.list}[${match.index}], ${places.name(match)}; ${lost}`)
  }
  if (matchesOmitted > 0) note('also matches', `${matchesOmitted} more`)
  for (const { list, index, message, suggestion } of misses) {
    note('nearly', `${message}, ${places.name({ list, index })}`)
    if (suggestion !== null) note('would match', `\`${suggestion}\` in ${list}`)
  }
  if (missesOmitted > 0) note('nearly', `${missesOmitted} more`)
  return parts.join('')
}

function worst(decisions: readonly Decision[]): number {
  const actions = new Set(decisions.map(({ action }) => action))
  return actions.has('deny') ? EXIT.no : actions.has('review') ? EXIT.review : EXIT.fine
}
