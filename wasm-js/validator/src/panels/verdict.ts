// The one line that says how things stand: valid, not valid, not known.

import type { Failure } from '../checker.js'
import { type Child, count, digits, element, sentence } from '../dom.js'
import type { Check } from '../worker/protocol.js'

export type Standing =
  | { readonly kind: 'checking' }
  | { readonly kind: 'checked'; readonly check: Check }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly again: () => void; readonly reload: () => void }

/** Shows it; the same words are not said twice to a screen reader. */
export function showVerdict(root: HTMLElement, standing: Standing): void {
  const { tone, title, detail } = words(standing)
  const actions =
    standing.kind === 'failed'
      ? element(
          'div',
          { class: 'actions' },
          element('button', { type: 'button', click: standing.again }, 'Try again'),
          element('button', { type: 'button', click: standing.reload }, 'Reload the page'),
        )
      : undefined
  const made = element(
    'div',
    { class: `verdict ${tone}` },
    element('p', { class: 'verdict-title' }, title),
    element('p', { class: 'verdict-detail' }, ...detail),
    actions,
  )
  if (root.firstElementChild?.isEqualNode(made) && actions === undefined) return
  root.replaceChildren(made)
}

interface Words {
  readonly tone: 'good' | 'advice' | 'bad' | 'unknown'
  readonly title: string
  readonly detail: readonly Child[]
}

function words(standing: Standing): Words {
  switch (standing.kind) {
    case 'checking':
      return { tone: 'unknown', title: 'Checking…', detail: ['No verdict yet.'] }
    case 'refused':
      return { tone: 'bad', title: 'Not valid', detail: sentence(standing.problem) }
    case 'failed':
      return { tone: 'unknown', title: 'No verdict', detail: sentence(failureText(standing.failure)) }
    case 'checked':
      return checkWords(standing.check)
  }
}

function checkWords(check: Check): Words {
  const number = (severity: string) => check.diagnostics.filter((diagnostic) => diagnostic.severity === severity).length
  if (!check.valid) {
    const problems = count(number('error'), 'problem')
    return { tone: 'bad', title: 'Not valid', detail: [`${problems}. The sandbox would refuse this file.`] }
  }
  const lists = `${count(check.allowed, 'allowed entry', 'allowed entries')}, ${digits(check.denied)} denied`
  const advice = [
    number('warning') > 0 ? count(number('warning'), 'warning') : undefined,
    number('info') > 0 ? count(number('info'), 'note') : undefined,
  ].filter((part) => part !== undefined)
  const title = advice.length === 0 ? 'Valid' : `Valid, with ${advice.join(' and ')}`
  return { tone: number('warning') > 0 ? 'advice' : 'good', title, detail: [`${lists}.`] }
}

function failureText({ kind, reason }: Failure): string {
  switch (kind) {
    case 'start':
      return `The policy core could not be started: ${reason}.`
    case 'trap':
      return `The policy core failed on this input (${reason}) and was started anew. The next change is checked again.`
    case 'timeout':
      return 'The policy core did not answer in time, was ended and started anew. The next change is checked again.'
  }
}
