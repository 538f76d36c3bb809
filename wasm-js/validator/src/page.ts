// The page: two editors, a checker, and the panels that show its newest answer.

import { EditorView } from '@codemirror/view'
import type { Fix } from 'pi-sandbox-policy'

import { Checker, type Failure } from './checker.js'
import { byId } from './dom.js'
import { configExtensions, createEditor, replaceText } from './editor/editor.js'
import { formatChanges } from './editor/format.js'
import { showDiagnostics } from './editor/problems.js'
import { markRule, type Rule } from './editor/rule-mark.js'
import { showComparison } from './panels/comparison.js'
import { DestinationsPanel } from './panels/destinations.js'
import { showPolicy } from './panels/policy.js'
import { ProblemsPanel } from './panels/problems.js'
import { uploadPlaces } from './panels/uploads.js'
import { showVerdict, type Standing } from './panels/verdict.js'
import type { Shared } from './share/link.js'
import { startWorker } from './start-worker.js'
import { setUpTabs } from './tabs.js'
import { loneSurrogate } from './utf8.js'
import type { Answer, Check, Range, Schema } from './worker/protocol.js'

export type Tab = 'problems' | 'destinations' | 'compare' | 'policy'

/** Typing pauses this long before it is checked, in milliseconds. */
const PAUSE = 25
/** After this time without an answer the page shows that it knows nothing. */
const PATIENCE = 500

const HALF_CHARACTER = 'half of a UTF-16 surrogate pair stands in the text: no file can hold that'

export class Page {
  readonly editor: EditorView
  readonly older: EditorView
  readonly #verdict = byId('verdict', HTMLElement)
  readonly #problems: ProblemsPanel
  readonly #destinations: DestinationsPanel
  readonly #checker: Checker
  readonly #choose: (tab: string) => void
  #tab: Tab = 'problems'
  #schema: Schema | undefined
  #version = 0
  /** Of the text as it is now; undefined while that is not known. */
  #check: Check | undefined
  /** To be done with the next answer. */
  #whenKnown: ((check: Check | undefined) => void) | undefined
  #down = false
  #showRule = false
  #pause: ReturnType<typeof setTimeout> | undefined
  #patience: ReturnType<typeof setTimeout> | undefined

  constructor({ config, destinations, older }: Shared) {
    // First of all: it comes up while the rest of the page does.
    this.#checker = new Checker(startWorker, {
      ready: (schema) => {
        this.#down = false
        this.#schema = schema
      },
      answer: (answer) => this.#answered(answer),
      failure: (failure) => this.#failed(failure),
    })
    const changed = () => this.#changed()
    this.editor = createEditor(
      {
        parent: byId('editor', HTMLElement),
        label: 'Configuration, in JSON',
        placeholder: 'Paste a config.json, drop a file, or start from an example.',
        text: config,
        changed,
      },
      configExtensions(() => this.#schema),
    )
    this.older = createEditor({
      parent: byId('older', HTMLElement),
      label: 'Old configuration, in JSON',
      placeholder: 'Paste or drop the old config.json.',
      text: older ?? '',
      changed,
    })
    const jump = (range: Pick<Range, 'from' | 'to'>) => this.jump(range)
    this.#problems = new ProblemsPanel(byId('problems', HTMLElement), { jump, apply: (fix) => this.#apply(fix) })
    this.#destinations = new DestinationsPanel(
      byId('destination-lines', HTMLTextAreaElement),
      byId('decisions', HTMLElement),
      {
        jump,
        add: (entry, behind) => this.#add(entry, behind),
        changed: () => {
          this.#showRule = true
          this.#changed()
        },
      },
    )
    this.#destinations.text = destinations
    this.#choose = setUpTabs(byId('tabs', HTMLElement), (tab) => {
      this.#tab = tab as Tab
      this.#changed()
    })
    this.#choose(this.#tab)
    this.#ask()
  }

  get contents(): Shared {
    return { config: this.editor.state.doc.toString(), destinations: this.#destinations.text, older: this.#olderText }
  }

  /** Texts can be taken back with undo. */
  set contents({ config, destinations, older }: Shared) {
    replaceText(this.editor, config)
    replaceText(this.older, older ?? '')
    this.#destinations.text = destinations
    this.#changed()
  }

  showTab(tab: Tab): void {
    this.#choose(tab)
  }

  /** Selects a part of the configuration and goes there. */
  jump({ from, to }: Pick<Range, 'from' | 'to'>): void {
    this.editor.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    })
    this.editor.focus()
  }

  /** Lays the configuration out anew, once it is known to be JSON. */
  format(refused: () => void): void {
    this.#whenKnown = (check) => {
      if (check === undefined || check.diagnostics.some(({ code }) => code === 'invalid-json')) return refused()
      const changes = formatChanges(this.editor.state.doc.toString())
      this.editor.dispatch({ changes, userEvent: 'input.format', scrollIntoView: true })
    }
    if (this.#check !== undefined) this.#runWhenKnown()
    else if (!this.#verdictIsDue) refused()
  }

  /** Only of use for the text that it was made for. */
  #apply(fix: Fix): void {
    if (this.#check === undefined) return
    this.editor.dispatch({
      changes: { from: fix.from, to: fix.to, insert: fix.text },
      effects: EditorView.scrollIntoView(fix.from, { y: 'center' }),
      userEvent: 'input.fix',
    })
  }

  /** In the manner of the entry that stands there: on a line of its own, or not. */
  #add(entry: string, { from, to }: Range): void {
    if (this.#check === undefined) return
    const line = this.editor.state.doc.lineAt(from)
    const indent = line.text.slice(0, from - line.from)
    const separator = indent.trim() === '' ? `,\n${indent}` : ', '
    this.editor.dispatch({
      changes: { from: to, insert: separator + JSON.stringify(entry) },
      effects: EditorView.scrollIntoView(to, { y: 'center' }),
      userEvent: 'input.fix',
    })
  }

  get #olderText(): string | undefined {
    const { doc } = this.older.state
    return doc.length === 0 ? undefined : doc.toString()
  }

  get #verdictIsDue(): boolean {
    return this.#verdict.ariaBusy === 'true'
  }

  #runWhenKnown(): void {
    const run = this.#whenKnown
    this.#whenKnown = undefined
    run?.(this.#check)
  }

  #changed(): void {
    this.#version += 1
    this.#check = undefined
    if (!this.#down) this.#verdict.ariaBusy = 'true'
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => this.#ask(), PAUSE)
    this.#patience ??= setTimeout(() => this.#wait(), PATIENCE)
  }

  /** While the page is down that stands there already. */
  #wait(): void {
    if (!this.#down) this.#know({ kind: 'checking' })
  }

  #ask(): void {
    clearTimeout(this.#pause)
    const { config, older } = this.contents
    if (loneSurrogate(config) !== -1) return this.#know({ kind: 'refused', problem: HALF_CHARACTER })
    this.#checker.ask({
      version: this.#version,
      text: config,
      destinations: this.#tab === 'destinations' ? this.#destinations.destinations : [],
      explained: this.#destinations.explained,
      older: this.#tab === 'compare' && older !== undefined && loneSurrogate(older) === -1 ? older : undefined,
      normalised: this.#tab === 'policy',
    })
  }

  #answered(answer: Answer): void {
    if (answer.version === this.#version) this.#know({ kind: 'checked', check: answer.check }, answer)
  }

  #failed(failure: Failure): void {
    this.#down = failure.kind === 'start'
    const again = () => {
      this.#down = false
      this.#changed()
      this.#checker.restart()
    }
    this.#know({ kind: 'failed', failure, again, reload: () => location.reload() })
  }

  /** Shows what is known now, and nothing of what was known before. */
  #know(standing: Standing, answer?: Answer): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
    if (standing.kind !== 'checking') this.#verdict.ariaBusy = 'false'
    this.#check = answer?.check
    showVerdict(this.#verdict, standing)
    const diagnostics = this.#check?.diagnostics
    this.editor.dispatch(showDiagnostics(this.editor.state, diagnostics ?? [], (fix) => this.#apply(fix)))
    this.#problems.show(diagnostics)
    byId('tab-problems', HTMLElement).dataset['count'] = diagnostics?.length ? String(diagnostics.length) : ''
    this.#showDestinations(answer)
    this.#showComparison(answer)
    showPolicy(byId('policy', HTMLElement), this.#check)
    this.#markRule(answer)
    if (!this.#verdictIsDue) this.#runWhenKnown()
  }

  #showDestinations(answer: Answer | undefined): void {
    if (answer?.check.valid) this.#destinations.show({ ...answer, uploads: uploadPlaces(answer.check.diagnostics) })
    else this.#destinations.show({ none: noPolicy(answer) })
  }

  #showComparison(answer: Answer | undefined): void {
    const older = this.#olderText
    const explain = (destination: string) => {
      this.#destinations.ask(destination)
      this.showTab('destinations')
    }
    const none =
      older === undefined
        ? 'No old file yet. Take the editor’s text, change it, and see here what the change does.'
        : loneSurrogate(older) !== -1
          ? `The old file is no text: ${HALF_CHARACTER}.`
          : noPolicy(answer)
    showComparison(byId('comparison', HTMLElement), answer?.comparison ?? { none }, explain)
  }

  #markRule(answer: Answer | undefined): void {
    const rule = this.#tab === 'destinations' ? ruleOf(answer) : undefined
    const scroll = this.#showRule && rule !== undefined ? [EditorView.scrollIntoView(rule.range.from, { y: 'center' })] : []
    this.#showRule = false
    this.editor.dispatch({ effects: [markRule.of(rule), ...scroll] })
  }
}

function noPolicy(answer: Answer | undefined): string {
  if (answer === undefined) return 'Nothing is known at the moment.'
  return 'There is no answer while the configuration is not valid: fix its problems first.'
}

/** The entry that decides about the explained destination or, where none does, the first that nearly would. */
function ruleOf(answer: Answer | undefined): Rule | undefined {
  if (answer?.explained === undefined) return undefined
  const { explanation, places } = answer.explained
  const deciding = explanation.matches.find(({ decides }) => decides)
  const entry = deciding ?? explanation.misses[0]
  const range = places.find(({ list, index }) => list === entry?.list && index === entry.index)?.range
  if (range === undefined) return undefined
  if (deciding === undefined) return { range, kind: 'near' }
  return { range, kind: explanation.decision.action === 'allow' ? 'allow' : 'deny' }
}
