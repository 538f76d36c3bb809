// A text field where CodeMirror will be: neither the first verdict nor the first key waits for it.

import { element } from './dom.js'
import type { Change } from './editor/format.js'
import type { EditorOptions, TextEditor } from './text-editor.js'
import type { Range } from './worker/protocol.js'

export class PlainEditor implements TextEditor {
  readonly options: EditorOptions
  /** What undo leads back to. */
  readonly firstText: string
  readonly #area: HTMLTextAreaElement
  #composing = false

  constructor(options: EditorOptions) {
    this.options = options
    const { label, placeholder, parent, changed } = options
    this.#area = element('textarea', {
      'aria-label': label,
      placeholder,
      spellcheck: 'false',
      autocapitalize: 'off',
      autocomplete: 'off',
      input: changed,
      compositionstart: () => (this.#composing = true),
      compositionend: () => (this.#composing = false),
    })
    this.#area.value = options.text
    // As the field has it: with its own line ends.
    this.firstText = this.#area.value
    parent.append(this.#area)
  }

  get text(): string {
    return this.#area.value
  }

  replaceText(text: string): void {
    this.#area.value = text
    this.options.changed()
  }

  change(change: Change): void {
    this.format([change])
  }

  format(changes: readonly Change[]): void {
    // The last one first: it does not move the others.
    for (const { from, to, insert } of changes.toReversed()) this.#area.setRangeText(insert, from, to)
    this.options.changed()
  }

  select({ from, to }: Pick<Range, 'from' | 'to'>): void {
    this.#area.setSelectionRange(from, to)
    this.#area.focus()
  }

  undo(): void {
    this.#area.focus()
    document.execCommand('undo')
  }

  redo(): void {
    this.#area.focus()
    document.execCommand('redo')
  }

  /** The problems are in their list. */
  showDiagnostics(): void {}

  markRule(): void {}

  /** Waits for the end of a character that is put together of several keys. */
  async composed(): Promise<void> {
    if (this.#composing) await new Promise((resolve) => this.#area.addEventListener('compositionend', resolve, { once: true }))
  }

  /** Takes the field off the page, and tells where it was left. */
  remove(): Pick<Range, 'from' | 'to'> & { readonly scrollTop: number; readonly focused: boolean } {
    const { selectionStart: from, selectionEnd: to, scrollTop } = this.#area
    const focused = document.activeElement === this.#area
    this.#area.remove()
    return { from, to, scrollTop, focused }
  }
}
