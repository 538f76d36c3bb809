// The page: two editors, a checker, and the panels that show its newest answer.

import type { Fix } from 'pi-sandbox-policy'

import { Checker, type Failure } from './checker.js'
import { byId } from './dom.js'
import { formatChanges } from './editor/format.js'
import type { Rule } from './editor/rule-mark.js'
import type { CodeEditors } from './load-editor.js'
import { showComparison } from './panels/comparison.js'
import { DestinationsPanel } from './panels/destinations.js'
import { showPolicy } from './panels/policy.js'
import { ProblemsPanel } from './panels/problems.js'
import { uploadPlaces } from './panels/uploads.js'
import { showVerdict, type Standing } from './panels/verdict.js'
import { PlainEditor } from './plain-editor.js'
import type { Shared } from './share/link.js'
import { startWorker } from './start-worker.js'
import { setUpTabs } from './tabs.js'
import type { TextEditor } from './text-editor.js'
import { loneSurrogate } from './utf8.js'
import type { Answer, Check, Range, Schema } from './worker/protocol.js'

export type Tab = 'problems' | 'destinations' | 'compare' | 'policy'

/** Typing pauses this long before it is checked, in milliseconds. */
const PAUSE = 25
/** After this time without an answer the page shows that it knows nothing. */
const PATIENCE = 500

const HALF_CHARACTER = 'half of a UTF-16 surrogate pair stands in the text: no file can hold that'

export class Page {
  /** Until something is known for the first time, be it a verdict or that there is none. */
  readonly settled: Promise<void>
  #settle: () => void = () => {}
  readonly #plain: { readonly editor: PlainEditor; readonly older: PlainEditor }
  #editor: TextEditor
  #older: TextEditor
  readonly #verdict = byId('verdict', HTMLElement)
  readonly #problems: ProblemsPanel
  readonly #destinations: DestinationsPanel
  readonly #checker: Checker
  readonly #choose: (tab: string) => void
  #tab: Tab = 'problems'
  #schema: Schema | undefined
  #version = 0
  /** About the texts as they are now; undefined while that is not known. */
  #answer: Answer | undefined
  /** To be done with the next answer. */
  #whenKnown: ((check: Check | undefined) => void) | undefined
  #down = false
  #showRule = false
  #pause: ReturnType<typeof setTimeout> | undefined
  #patience: ReturnType<typeof setTimeout> | undefined

  constructor({ config, destinations, older }: Shared) {
    this.settled = new Promise((resolve) => (this.#settle = resolve))
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
    this.#plain = {
      editor: new PlainEditor({
        parent: byId('editor', HTMLElement),
        label: 'Configuration, in JSON',
        placeholder: 'Paste a config.json, drop a file, or start from an example.',
        text: config,
        changed,
      }),
      older: new PlainEditor({
        parent: byId('older', HTMLElement),
        label: 'Old configuration, in JSON',
        placeholder: 'Paste or drop the old config.json.',
        text: older ?? '',
        changed,
      }),
    }
    this.#editor = this.#plain.editor
    this.#older = this.#plain.older
    const jump = (range: Pick<Range, 'from' | 'to'>) => {
      if (this.#check !== undefined) this.#editor.select(range)
    }
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
  }

  get editor(): TextEditor {
    return this.#editor
  }

  get older(): TextEditor {
    return this.#older
  }

  /** Asks about everything on the page as it is now. */
  ask(): void {
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

  /** CodeMirror takes the place of the plain editors; nothing else on the page changes. */
  async takeEditors({ configEditor, olderEditor }: CodeEditors): Promise<void> {
    const { editor, older } = this.#plain
    await editor.composed()
    this.#editor = configEditor(editor, () => this.#schema)
    this.#showInEditor()
    await older.composed()
    this.#older = olderEditor(older)
  }

  get contents(): Shared {
    return { config: this.#editor.text, destinations: this.#destinations.text, older: this.#olderText }
  }

  /** Texts can be taken back with undo. */
  set contents({ config, destinations, older }: Shared) {
    this.#editor.replaceText(config)
    this.#older.replaceText(older ?? '')
    this.#destinations.text = destinations
    this.#changed()
  }

  showTab(tab: Tab): void {
    this.#choose(tab)
  }

  /** Lays the configuration out anew, once it is known to be JSON. */
  format(refused: () => void): void {
    this.#whenKnown = (check) => {
      if (check === undefined || check.diagnostics.some(({ code }) => code === 'invalid-json')) return refused()
      this.#editor.format(formatChanges(this.#editor.text))
    }
    if (this.#check !== undefined) this.#runWhenKnown()
    else if (!this.#verdictIsDue) refused()
  }

  /** Only of use for the text that it was made for. */
  #apply(fix: Fix): void {
    if (this.#check !== undefined) this.#editor.change({ from: fix.from, to: fix.to, insert: fix.text })
  }

  /** In the manner of the entry that stands there: on a line of its own, or not. */
  #add(entry: string, { from, to }: Range): void {
    if (this.#check === undefined) return
    const { text } = this.#editor
    const indent = text.slice(text.lastIndexOf('\n', from - 1) + 1, from)
    const separator = indent.trim() === '' ? `,\n${indent}` : ', '
    this.#editor.change({ from: to, to, insert: separator + JSON.stringify(entry) })
  }

  get #olderText(): string | undefined {
    const { text } = this.#older
    return text === '' ? undefined : text
  }

  get #check(): Check | undefined {
    return this.#answer?.check
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
    this.#answer = undefined
    if (!this.#down) this.#verdict.ariaBusy = 'true'
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => this.ask(), PAUSE)
    this.#patience ??= setTimeout(() => this.#wait(), PATIENCE)
  }

  /** While the page is down that stands there already. */
  #wait(): void {
    if (!this.#down) this.#know({ kind: 'checking' })
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
    if (standing.kind !== 'checking') {
      this.#verdict.ariaBusy = 'false'
      this.#settle()
    }
    this.#answer = answer
    showVerdict(this.#verdict, standing)
    const diagnostics = this.#check?.diagnostics
    this.#problems.show(diagnostics)
    byId('tab-problems', HTMLElement).dataset['count'] = diagnostics?.length ? String(diagnostics.length) : ''
    this.#showDestinations(answer)
    this.#showComparison(answer)
    showPolicy(byId('policy', HTMLElement), this.#check)
    this.#showInEditor()
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

  #showInEditor(): void {
    this.#editor.showDiagnostics(this.#check?.diagnostics ?? [], (fix) => this.#apply(fix))
    const rule = this.#tab === 'destinations' ? ruleOf(this.#answer) : undefined
    this.#editor.markRule(rule, this.#showRule)
    this.#showRule = false
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
