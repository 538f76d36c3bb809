// The destination tester: many destinations, a decision each, and one of them explained.

import type { Decision, Explanation } from 'pi-sandbox-policy'

import { type Destination, type DestinationLine, readDestinations } from '../destination.js'
import { type Child, count, digits, element, sentence, visible } from '../dom.js'
import type { ExactEntry, Explained, Located, Range } from '../worker/protocol.js'
import { ACTIONS, badge, because, endpoint, ruleName } from './rule.js'
import { uploadWarning } from './uploads.js'

export interface DestinationActions {
  /** Another text, or another destination to explain. */
  readonly changed: () => void
  readonly jump: (range: Range) => void
  /** Writes another entry behind the one that stands there. */
  readonly add: (entry: string, behind: Range) => void
}

/** What is known: the decisions of the destinations, or why there are none. */
export type DestinationAnswers =
  | {
      readonly decisions: readonly Decision[]
      readonly malformed: ReadonlyMap<number, string>
      readonly explained: Explained | undefined
      /** Where the entries stand that let data out. */
      readonly uploads: ReadonlySet<number>
    }
  | { readonly none: string }

export class DestinationsPanel {
  readonly #input: HTMLTextAreaElement
  readonly #output: HTMLElement
  readonly #actions: DestinationActions
  #lines: readonly DestinationLine[] = []
  #omitted = 0
  #rows: readonly Row[] = []
  /** Among the destinations that can be read. */
  #explained: number | undefined = 0

  constructor(input: HTMLTextAreaElement, output: HTMLElement, actions: DestinationActions) {
    this.#input = input
    this.#output = output
    this.#actions = actions
    input.addEventListener('input', () => {
      this.#read()
      actions.changed()
    })
  }

  get text(): string {
    return this.#input.value
  }

  set text(text: string) {
    this.#input.value = text
    this.#explained = 0
    this.#read()
  }

  get destinations(): readonly Destination[] {
    return this.#lines.filter((line) => 'host' in line)
  }

  get explained(): number | undefined {
    return this.#explained
  }

  /** Asks about one more, and explains it. */
  ask(text: string): void {
    const lines = this.text.split('\n').filter((line) => line.trim() !== '' && line.trim() !== text)
    this.#input.value = `${[text, ...lines].join('\n')}\n`
    this.#explained = 0
    this.#read()
    this.#actions.changed()
  }

  show(answers: DestinationAnswers): void {
    if ('none' in answers) {
      this.#rows = []
      const reason = this.#lines.length === 0 ? [] : [element('p', { class: 'empty' }, answers.none)]
      this.#output.replaceChildren(...reason)
      return
    }
    if (this.#rows.length === 0) this.#makeRows()
    let index = 0
    for (const row of this.#rows) {
      if (!('host' in row.line)) continue
      const explained = answers.explained?.index === index ? answers.explained : undefined
      row.show(answers.decisions[index], answers.malformed.get(index), explained, answers.uploads, this.#actions)
      index += 1
    }
    const summary = this.#output.querySelector('.summary')
    summary?.replaceChildren(this.#summary(answers.decisions))
  }

  #read(): void {
    const { lines, omitted } = readDestinations(this.#input.value)
    this.#lines = lines
    this.#omitted = omitted
    this.#rows = []
  }

  #makeRows(): void {
    let index = 0
    this.#rows = this.#lines.map((line) => {
      const mine = index
      if ('host' in line) index += 1
      return new Row(line, () => {
        this.#explained = this.#explained === mine ? undefined : mine
        this.#actions.changed()
      })
    })
    this.#output.replaceChildren(
      ...(this.#rows.length === 0 ? [] : [element('p', { class: 'summary' })]),
      element('ul', { class: 'decisions' }, ...this.#rows.map(({ root }) => root)),
    )
  }

  #summary(decisions: readonly Decision[]): string {
    const parts = (['allow', 'deny', 'review'] as const)
      .map((action) => [decisions.filter((decision) => decision.action === action).length, ACTIONS[action].toLowerCase()])
      .filter(([number]) => number !== 0)
      .map(([number, word]) => `${number} ${word === 'review' ? 'to review' : word}`)
    const unread = this.#lines.length - decisions.length
    if (unread > 0) parts.push(`${unread} not understood`)
    if (this.#omitted > 0) parts.push(`${count(this.#omitted, 'line')} more than this page answers`)
    return parts.join(' · ')
  }
}

/** One line of the answer. Kept while its line stays, so that the keyboard keeps its place. */
class Row {
  readonly root: HTMLElement
  readonly line: DestinationLine
  readonly #button: HTMLButtonElement
  readonly #detail = element('div', { class: 'explanation' })
  #shown = ''

  constructor(line: DestinationLine, choose: () => void) {
    this.line = line
    this.#button = element('button', { type: 'button', class: 'decision', click: choose })
    this.root = element('li', {}, this.#button)
    if ('problem' in line) {
      this.root.replaceChildren(
        element(
          'div',
          { class: 'decision' },
          element('span', { class: 'badge' }, 'Unclear'),
          element('span', { class: 'asked' }, visible(line.asked)),
          element('span', { class: 'because' }, ...sentence(visible(line.problem))),
        ),
      )
    }
  }

  show(
    decision: Decision | undefined,
    malformed: string | undefined,
    explained: Explained | undefined,
    uploads: ReadonlySet<number>,
    actions: DestinationActions,
  ): void {
    if (decision === undefined || !('host' in this.line)) return
    const key = JSON.stringify([decision, malformed])
    if (key !== this.#shown) {
      this.#shown = key
      this.#button.replaceChildren(
        badge(decision),
        element('span', { class: 'asked' }, visible(this.line.asked)),
        element('span', { class: 'because' }, ...reduced(this.line), ...(malformed === undefined ? because(decision) : sentence(malformed))),
      )
    }
    this.#button.setAttribute('aria-expanded', String(explained !== undefined))
    if (explained === undefined) this.#detail.remove()
    else {
      this.#detail.replaceChildren(...explanationOf(this.line, explained, uploads, actions))
      this.root.append(this.#detail)
    }
  }
}

/** What was asked, where that is not what was typed. */
function reduced({ asked, host, port }: Destination): readonly Child[] {
  const name = endpoint(host, port)
  return name === asked ? [] : [element('code', {}, visible(name)), ', ']
}

function explanationOf(
  line: Destination,
  { explanation, places, exact }: Explained,
  uploads: ReadonlySet<number>,
  actions: DestinationActions,
): readonly HTMLElement[] {
  const { decision, summary, steps, matches, matchesOmitted, misses, missesOmitted } = explanation
  const [deciding] = matches.filter(({ decides }) => decides)
  const lost = matches.filter(({ decides }) => !decides)
  const range = deciding && placeOf(deciding, places)
  const letsOut = decision.action === 'allow' && range !== undefined && uploads.has(range.from)
  return [
    element('p', { class: 'sentence' }, ...sentence(summary)),
    ...(letsOut ? [uploadWarning('This entry')] : []),
    ...notes(line),
    ...section('How the host was read', readings(line, steps)),
    ...section(
      'Entry that decides',
      deciding === undefined ? [] : [ruleItem(deciding, places, actions)],
    ),
    ...section(
      'Entries that match too, and lose',
      lost.map((match) => ruleItem(match, places, actions)),
      matchesOmitted,
    ),
    ...section(
      'Entry for this destination alone',
      exact === undefined ? [] : [element('li', {}, suggestionItem(exact.entry, 'allowedDomains', exact.last, actions))],
    ),
    ...section(
      'Entries that nearly match',
      misses.map((miss) => ruleItem(miss, places, actions, miss.message, offered(miss, exact))),
      missesOmitted,
    ),
  ]
}

/** What stands on offer already is not offered again. */
function offered({ list, suggestion }: Explanation['misses'][number], exact: ExactEntry | undefined): string | null {
  return list === 'allowedDomains' && suggestion === exact?.entry ? null : suggestion
}

function notes({ notes: told }: Destination): readonly HTMLElement[] {
  return told.length === 0 ? [] : [element('p', { class: 'hint' }, ...sentence(visible(told.join('; '))))]
}

function readings({ host }: Destination, steps: Explanation['steps']): readonly HTMLElement[] {
  if (steps.length === 0) return []
  const start = element('li', {}, element('code', {}, visible(host)), ' as asked')
  return [
    start,
    ...steps.map((step) => element('li', {}, element('code', {}, visible(step.host)), ' ', ...sentence(step.message))),
  ]
}

function section(title: string, items: readonly HTMLElement[], omitted = 0): readonly HTMLElement[] {
  if (items.length === 0) return []
  const more = omitted === 0 ? undefined : element('li', {}, `and ${digits(omitted)} more`)
  return [element('h3', {}, title), element('ul', { class: 'plain' }, ...items, more)]
}

function placeOf(rule: Pick<Located, 'list' | 'index'>, places: readonly Located[]): Range | undefined {
  return places.find(({ list, index }) => list === rule.list && index === rule.index)?.range
}

function ruleItem(
  rule: Pick<Located, 'list' | 'index'> & { readonly pattern: string },
  places: readonly Located[],
  actions: DestinationActions,
  message?: string,
  suggestion?: string | null,
): HTMLElement {
  const range = placeOf(rule, places)
  const name = element('code', {}, visible(rule.pattern))
  const place = range === undefined ? ruleName(rule) : `${ruleName(rule)}, line ${range.line}`
  return element(
    'li',
    {},
    range === undefined ? name : element('button', { type: 'button', class: 'link', click: () => actions.jump(range) }, name),
    element('span', { class: 'place' }, ` ${place}`),
    message === undefined ? undefined : element('p', {}, ...sentence(message)),
    ...(suggestion == null ? [] : [suggestionItem(suggestion, rule.list, range, actions)]),
  )
}

function suggestionItem(entry: string, list: string, range: Range | undefined, actions: DestinationActions): HTMLElement {
  return element(
    'div',
    { class: 'bar remedy' },
    element('p', { class: 'help' }, element('code', {}, entry), ` in ${list} would match`),
    range === undefined
      ? undefined
      : element(
          'button',
          { type: 'button', 'aria-label': `Add ${entry} to ${list}`, click: () => actions.add(entry, range) },
          'Add',
        ),
  )
}
