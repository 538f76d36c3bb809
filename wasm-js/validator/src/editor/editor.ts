// The editors of the page: CodeMirror, put together. A script of its own, which the page loads beside the first
// verdict and not before it.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, isolateHistory, redo, undo } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintGutter, nextDiagnostic, previousDiagnostic } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view'
import type { Diagnostic, Fix } from 'pi-sandbox-policy'

import type { PlainEditor } from '../plain-editor.js'
import type { EditorOptions, TextEditor } from '../text-editor.js'
import type { Range, Schema } from '../worker/protocol.js'
import type { Change } from './format.js'
import { showDiagnostics } from './problems.js'
import { markRule, type Rule, ruleMark } from './rule-mark.js'
import { schemaCompletion } from './schema-completion.js'
import { describeAtCursor, hideDescription, schemaHover } from './schema-hover.js'
import { specialCharacters } from './special-characters.js'
import { theme } from './theme.js'

/** For the configuration. Takes the place of a plain editor, its text and its cursor. */
export function configEditor(plain: PlainEditor, schema: () => Schema | undefined): TextEditor {
  return new CodeEditor(plain, configExtensions(schema))
}

/** For the file that it is compared with. */
export function olderEditor(plain: PlainEditor): TextEditor {
  return new CodeEditor(plain, [])
}

class CodeEditor implements TextEditor {
  readonly #view: EditorView

  constructor(plain: PlainEditor, extensions: Extension) {
    const { options, texts: [firstText, ...later] } = plain
    // What was done before can be undone like anything else. It is no change, which would be checked anew.
    const first = EditorState.create({ doc: firstText, extensions: [extensions, allExtensions(options, firstText)] })
    const last = later.reduce((state, text) => state.update(replacement(state, text)).state, first)
    // Inside a shadow root the editor brings its styles as style sheet objects: no inline styles,
    // which the page's Content-Security-Policy forbids.
    const root = options.parent.attachShadow({ mode: 'open' })
    // Only now, when little can fail that would leave the page without either.
    const { anchor, head, scrollTop, focused } = plain.remove()
    const { state } = last.update({ selection: { anchor, head } })
    this.#view = new EditorView({ state, parent: root, root })
    this.#view.scrollDOM.scrollTop = scrollTop
    if (focused) this.#view.focus()
  }

  get text(): string {
    return this.#view.state.doc.toString()
  }

  replaceText(text: string): void {
    this.#view.dispatch(replacement(this.#view.state, text))
  }

  change(change: Change): void {
    this.#view.dispatch({
      changes: change,
      effects: EditorView.scrollIntoView(change.from, { y: 'center' }),
      userEvent: 'input.fix',
    })
  }

  format(changes: readonly Change[]): void {
    this.#view.dispatch({ changes, userEvent: 'input.format', scrollIntoView: true })
  }

  select({ from, to }: Pick<Range, 'from' | 'to'>): void {
    this.#view.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    })
    this.#view.focus()
  }

  undo(): void {
    undo(this.#view)
  }

  redo(): void {
    redo(this.#view)
  }

  showDiagnostics(diagnostics: readonly Diagnostic[], apply: (fix: Fix) => void): void {
    this.#view.dispatch(showDiagnostics(this.#view.state, diagnostics, apply))
  }

  markRule(rule: Rule | undefined, scrollThere: boolean): void {
    const scroll = scrollThere && rule !== undefined ? [EditorView.scrollIntoView(rule.range.from, { y: 'center' })] : []
    this.#view.dispatch({ effects: [markRule.of(rule), ...scroll] })
  }
}

function replacement({ doc }: EditorState, text: string): TransactionSpec {
  return {
    changes: { from: 0, to: doc.length, insert: text },
    selection: { anchor: 0 },
    annotations: isolateHistory.of('full'),
    scrollIntoView: true,
  }
}

function allExtensions(options: EditorOptions, text: string): Extension {
  return [
    history(),
    json(),
    lineNumbers(),
    specialCharacters(text),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    indentUnit.of('  '),
    search(),
    placeholder(options.placeholder),
    EditorView.lineWrapping,
    EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
    EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.changed()
    }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    theme,
  ]
}

/**
 * Typing over a selection. Left to the browser it is done with inline styles, which the page's
 * Content-Security-Policy refuses and reports.
 */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { data } = event
  const { from, to, empty } = view.state.selection.main
  if (event.inputType !== 'insertText' || event.isComposing || data === null || empty) return false
  const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
  const handled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
  if (!handled) view.dispatch(insert())
  return true
}

/** What the editor of the configuration has beyond that. */
function configExtensions(schema: () => Schema | undefined): Extension {
  return [
    lintGutter(),
    ruleMark,
    autocompletion({ override: [schemaCompletion(schema)], icons: false }),
    schemaHover(schema),
    keymap.of([
      ...completionKeymap,
      { key: 'F8', run: nextDiagnostic },
      { key: 'Shift-F8', run: previousDiagnostic },
      { key: 'F1', run: describeAtCursor(schema) },
      { key: 'Escape', run: hideDescription },
    ]),
  ]
}
