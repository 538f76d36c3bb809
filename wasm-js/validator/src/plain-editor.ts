// A text field where CodeMirror will be: neither the first verdict nor the first key waits for it.

import { element } from './dom.js'
import type { Change } from './editor/format.js'
import type { EditorOptions, TextEditor } from './text-editor.js'
import type { Range } from './worker/protocol.js'

/** Characters of earlier texts that are kept. */
const LONGEST_PAST = 32 * 1024 * 1024

export class PlainEditor implements TextEditor {
  readonly options: EditorOptions
  readonly #area: HTMLTextAreaElement
  #composing = false
  // The browser's own undo belongs to all fields of the page at once, and knows of no change that a button made.
  #past: string[] = []
  #future: string[] = []
  #now: string
  /** How the text was changed last: what is typed in one go is undone in one. */
  #lastInput = ''

  constructor(options: EditorOptions) {
    this.options = options
    const { label, placeholder, parent } = options
    this.#area = element('textarea', {
      'aria-label': label,
      placeholder,
      spellcheck: 'false',
      autocapitalize: 'off',
      autocomplete: 'off',
      input: (event: Event) => this.#noted(event instanceof InputEvent ? event.inputType : ''),
      beforeinput: (event: Event) => this.#takeOver(event),
      keydown: (event: Event) => this.#takeOver(event),
      compositionstart: () => (this.#composing = true),
      compositionend: () => (this.#composing = false),
    })
    this.#area.value = options.text
    // As the field has it: with its own line ends.
    this.#now = this.#area.value
    parent.append(this.#area)
  }

  get text(): string {
    return this.#area.value
  }

  /** What undo leads back to, the oldest first, and what is there now. */
  get texts(): readonly [string, ...string[]] {
    const [first = this.text, ...rest] = [...this.#past, this.text]
    return [first, ...rest]
  }

  replaceText(text: string): void {
    this.#area.value = text
    this.#noted('')
  }

  change(change: Change): void {
    this.format([change])
  }

  format(changes: readonly Change[]): void {
    // The last one first: it does not move the others.
    for (const { from, to, insert } of changes.toReversed()) this.#area.setRangeText(insert, from, to)
    this.#noted('')
  }

  select({ from, to }: Pick<Range, 'from' | 'to'>): void {
    this.#area.setSelectionRange(from, to)
    this.#area.focus()
  }

  undo(): void {
    this.#travel(this.#past, this.#future)
  }

  redo(): void {
    this.#travel(this.#future, this.#past)
  }

  #travel(from: string[], to: string[]): void {
    const text = from.pop()
    if (text === undefined) return
    to.push(this.#now)
    this.#area.value = this.#now = text
    this.#lastInput = ''
    this.options.changed()
  }

  /** The text may be another one. */
  #noted(input: string): void {
    const text = this.#area.value
    if (text !== this.#now) {
      if (input === '' || input !== this.#lastInput) this.#past.push(this.#now)
      this.#future = []
      this.#now = text
      this.#lastInput = input
      let length = this.#past.reduce((sum, { length }) => sum + length, 0)
      while (length > LONGEST_PAST) length -= this.#past.shift()?.length ?? length
    }
    this.options.changed()
  }

  /** Undo and redo by key or menu are this editor's. */
  #takeOver(event: Event): void {
    const step = stepOf(event)
    if (step === undefined) return
    event.preventDefault()
    this[step]()
  }

  /** The problems are in their list. */
  showDiagnostics(): void {}

  markRule(): void {}

  /** Waits for the end of a character that is put together of several keys. */
  async composed(): Promise<void> {
    if (this.#composing) await new Promise((resolve) => this.#area.addEventListener('compositionend', resolve, { once: true }))
  }

  /** Takes the field off the page, and tells where it was left. */
  remove(): Left {
    const { selectionStart: from, selectionEnd: to, selectionDirection, scrollTop } = this.#area
    const [anchor, head] = selectionDirection === 'backward' ? [to, from] : [from, to]
    const focused = document.activeElement === this.#area
    this.#area.remove()
    return { anchor, head, scrollTop, focused }
  }
}

/** Where a field was left. */
export interface Left {
  readonly anchor: number
  readonly head: number
  readonly scrollTop: number
  readonly focused: boolean
}

function stepOf(event: Event): 'undo' | 'redo' | undefined {
  if (event instanceof InputEvent) {
    return event.inputType === 'historyUndo' ? 'undo' : event.inputType === 'historyRedo' ? 'redo' : undefined
  }
  if (!(event instanceof KeyboardEvent) || event.altKey || !(event.ctrlKey || event.metaKey)) return undefined
  const key = event.key.toLowerCase()
  if (key === 'z') return event.shiftKey ? 'redo' : 'undo'
  return key === 'y' ? 'redo' : undefined
}
