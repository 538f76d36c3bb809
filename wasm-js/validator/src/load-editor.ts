// Brings in CodeMirror, a script of its own: it is most of the page's code, and no verdict needs it.

import address from 'editor-address'

import { element } from './dom.js'
import { scriptAddress } from './scripts.js'

/** What the script has to offer. */
export type CodeEditors = typeof import('./editor/editor.js')

declare global {
  /** Where the script leaves it. */
  var codeEditors: CodeEditors | undefined
}

/** Loads the script. Undefined when it does not come. */
export function loadEditors(): Promise<CodeEditors | undefined> {
  return new Promise((resolve) => {
    const told = () => resolve(globalThis.codeEditors)
    const script = element('script', { load: told, error: told })
    script.src = scriptAddress(address)
    document.head.append(script)
  })
}
