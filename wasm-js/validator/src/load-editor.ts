// Brings in CodeMirror, which is most of the page's code, and not needed for its first verdict.

import address from 'editor-address'

import { element } from './dom.js'
import { scriptAddress } from './scripts.js'

/** What the script `editor/editor.ts` has to offer. */
export type CodeEditors = typeof import('./editor/editor.js')

declare global {
  /** The name that the script gives it. */
  var codeEditors: CodeEditors | undefined
}

/** Lets the browser fetch the script beside other work, without running it. */
export function fetchEditor(): void {
  document.head.append(element('link', { rel: 'preload', as: 'script', href: address }))
}

/** Runs the script. Undefined when it does not come. */
export function loadEditor(): Promise<CodeEditors | undefined> {
  return new Promise((resolve) => {
    const script = element('script', { load: () => resolve(globalThis.codeEditors), error: () => resolve(undefined) })
    script.src = scriptAddress(address)
    document.head.append(script)
  })
}
