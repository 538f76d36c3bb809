// What the page needs of an editor. At first that is a plain text field (plain-editor.ts), which
// CodeMirror (editor/) replaces once the first verdict is on the page.

import type { Diagnostic, Fix } from 'pi-sandbox-policy'

import type { Change } from './editor/format.js'
import type { Rule } from './editor/rule-mark.js'
import type { Range } from './worker/protocol.js'

export interface TextEditor {
  readonly text: string
  /** Puts another text in: one step to undo. */
  replaceText(text: string): void
  /** Changes a part of the text, and shows it. */
  change(change: Change): void
  /** Changes parts of the text, in their order, that only lay it out. */
  format(changes: readonly Change[]): void
  /** Selects a part, goes there, and takes the keyboard. */
  select(range: Pick<Range, 'from' | 'to'>): void
  undo(): void
  redo(): void
  /** Shows these, which are about the text as it is, in place of those before. */
  showDiagnostics(diagnostics: readonly Diagnostic[], apply: (fix: Fix) => void): void
  /** Marks an entry, or none. */
  markRule(rule: Rule | undefined, scrollThere: boolean): void
}

export interface EditorOptions {
  readonly parent: HTMLElement
  /** For screen readers. */
  readonly label: string
  readonly placeholder: string
  readonly text: string
  /** The text is another one. */
  readonly changed: () => void
}
