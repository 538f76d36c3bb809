// The editors of the page: CodeMirror, put together.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintGutter, nextDiagnostic, previousDiagnostic } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view'

import type { Schema } from '../worker/protocol.js'
import { ruleMark } from './rule-mark.js'
import { schemaCompletion } from './schema-completion.js'
import { describeAtCursor, hideDescription, schemaHover } from './schema-hover.js'
import { specialCharacters } from './special-characters.js'
import { theme } from './theme.js'

export interface EditorOptions {
  readonly parent: HTMLElement
  /** For screen readers. */
  readonly label: string
  readonly placeholder: string
  readonly text: string
  readonly changed: () => void
}

/** An editor for JSON. */
export function createEditor(options: EditorOptions, extensions: Extension = []): EditorView {
  // Inside a shadow root the editor brings its styles as style sheet objects: no inline styles,
  // which the page's Content-Security-Policy forbids.
  const root = options.parent.attachShadow({ mode: 'open' })
  const state = EditorState.create({
    doc: options.text,
    extensions: [
      extensions,
      history(),
      json(),
      lineNumbers(),
      specialCharacters(options.text),
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
    ],
  })
  return new EditorView({ state, parent: root, root })
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
export function configExtensions(schema: () => Schema | undefined): Extension {
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

/** Puts another text in: one step to undo. */
export function replaceText(view: EditorView, text: string): void {
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: 0 },
    annotations: isolateHistory.of('full'),
    scrollIntoView: true,
  })
}
