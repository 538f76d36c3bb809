// The core's diagnostics as the editor's: underlined, in the gutter, with the fix as a button.

import { type Diagnostic as EditorDiagnostic, setDiagnostics } from '@codemirror/lint'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import type { Diagnostic, Fix } from 'pi-sandbox-policy'

import { element, sentence } from '../dom.js'
import { fixLabel } from '../fix-label.js'

/** Shows these, which are about the document as it is, in place of those before. */
export function showDiagnostics(
  state: EditorState,
  diagnostics: readonly Diagnostic[],
  apply: (fix: Fix) => void,
): TransactionSpec {
  return setDiagnostics(
    state,
    diagnostics.map((diagnostic) => toEditor(diagnostic, apply)),
  )
}

function toEditor({ from, to, severity, message, help, fix }: Diagnostic, apply: (fix: Fix) => void): EditorDiagnostic {
  return {
    from,
    to,
    severity,
    message,
    renderMessage: () =>
      element(
        'span',
        {},
        ...sentence(message),
        help === null ? undefined : element('span', { class: 'help' }, ...sentence(help)),
      ),
    actions: fix === null ? [] : [{ name: `Apply: ${fixLabel(fix)}`, apply: () => apply(fix) }],
  }
}
