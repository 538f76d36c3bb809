// The normalised policy and its fingerprint.

import { copyButton } from '../clipboard.js'
import { element } from '../dom.js'
import type { Check } from '../worker/protocol.js'

/** Most characters that are shown; a copy has all. */
const MOST_SHOWN = 200_000

/** Undefined: nothing is known. */
export function showPolicy(root: HTMLElement, check: Check | undefined): void {
  if (check === undefined) return root.replaceChildren()
  if (!check.valid) {
    return root.replaceChildren(
      element('p', { class: 'empty' }, 'There is no policy: the sandbox refuses this file, and says'),
      element('pre', {}, element('code', {}, check.refusal)),
    )
  }
  const { fingerprint, normalised } = check
  root.replaceChildren(
    ...block('Fingerprint', 'Equal wherever the same lists are in force.', fingerprint),
    ...(normalised === undefined
      ? []
      : [
          ...block('Network policy', 'The lists in force: trimmed, each entry once.', normalised.policy),
          ...block('Whole configuration', 'As it is read, with the defaults filled in.', normalised.configuration),
        ]),
  )
}

function block(title: string, detail: string, text: string): readonly HTMLElement[] {
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n… (Copy gives all of it)` : text
  return [
    element('div', { class: 'bar' }, element('h3', {}, title), copyButton(title.toLowerCase(), () => text)),
    element('p', { class: 'hint' }, detail),
    element('pre', { tabindex: '0', role: 'region', 'aria-label': title }, element('code', {}, shown)),
  ]
}
