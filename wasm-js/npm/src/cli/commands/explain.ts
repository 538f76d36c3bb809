import type { Decision, Explanation } from '../../internal.js'
import { type Command, EXIT, usageLine } from '../command.js'
import { type Configuration, policyOf, readConfiguration } from '../configuration.js'
import { type Destination, endpoint, FileMistake, readDestination } from '../destination.js'
import { Mistake } from '../errors.js'
import { failureJson, tell } from '../failure.js'
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
invalid, and otherwise with 3, when something goes to review; with 2 when an operand is no
destination, after the others are answered. With --json each destination is a line.

  pi-sandbox-policy explain github.com pypi.org:443
  pi-sandbox-policy explain --config draft.json 127.1:8080`,
  options: ['config', 'json'],
  run: async ({ operands, config, json }) => {
    if (operands.length === 0) throw new Mistake('`explain` needs a destination', usageLine(explain))
    const destinations = operands.map((asked) => ({ asked, to: read(asked) }))
    const mistakes = destinations.map(({ to }) => to).filter((to) => to instanceof Mistake)
    const [mistake] = mistakes
    if (mistake !== undefined && operands.length === 1) throw mistake
    const configuration = await readConfiguration(config)
    const policy = policyOf(configuration)
    const places = new Places(configuration)
    const answers = destinations.map(({ asked, to }): Answer | { asked: string; mistake: Mistake } =>
      to instanceof Mistake ? { asked, mistake: to } : { asked, to, explanation: policy.explain(to.host, to.port) },
    )
    const answered = answers.filter((answer) => 'explanation' in answer)
    if (json) {
      for (const answer of answers) {
        const said = 'mistake' in answer ? failureJson(answer.mistake) : located(answer.explanation, places)
        printJson({ asked: answer.asked, ...said })
      }
    } else {
      const terminal = terminalOf(process.stdout)
      print(answered.map(({ to, explanation }) => show(to, explanation, configuration, places, terminal)).join('\n'))
      mistakes.forEach(tell)
    }
    return mistake === undefined ? worst(answered.map(({ explanation }) => explanation.decision)) : EXIT.unanswered
  },
}

interface Answer {
  readonly asked: string
  readonly to: Destination
  readonly explanation: Explanation
}

function read(asked: string): Destination | Mistake {
  try {
    return readDestination(asked)
  } catch (error) {
    if (error instanceof Mistake && !(error instanceof FileMistake)) return error
    throw error
  }
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
