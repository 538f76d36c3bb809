// What the editor's text changes, compared with an older one: one destination for every difference.

import type { Relation } from 'pi-sandbox-policy'

import { count, element } from '../dom.js'
import type { Change, Comparison } from '../worker/protocol.js'
import { badge, because, endpoint } from './rule.js'

/** Shows it, or why there is none. */
export function showComparison(
  root: HTMLElement,
  comparison: Comparison | { readonly none: string },
  explain: (destination: string) => void,
): void {
  if ('none' in comparison) {
    root.replaceChildren(element('p', { class: 'empty' }, comparison.none))
  } else if (!comparison.valid) {
    root.replaceChildren(element('p', { class: 'callout' }, `The old file is no configuration: ${comparison.problem}`))
  } else {
    const { relation, changes, omitted } = comparison
    root.replaceChildren(
      element('p', { class: `relation ${relation}` }, element('strong', {}, RELATIONS[relation].title)),
      element('p', {}, RELATIONS[relation].detail),
      ...GROUPS.flatMap(({ action, title }) =>
        group(
          title,
          changes.filter((change) => change.new.action === action),
          explain,
        ),
      ),
      ...(omitted === 0 ? [] : [element('p', {}, `and ${count(omitted, 'more difference')}`)]),
    )
  }
}

const RELATIONS: Readonly<Record<Relation, { readonly title: string; readonly detail: string }>> = {
  equal: { title: 'No difference', detail: 'Both files give every host and port the same answer.' },
  narrower: { title: 'Narrower', detail: 'Some destinations get less access than before, and none gets more.' },
  wider: { title: 'Wider', detail: 'Some destinations get more access than before, and none gets less.' },
  incomparable: {
    title: 'Wider and narrower',
    detail: 'Some destinations get more access than before, and others less.',
  },
}

/** What needs most attention comes first. */
const GROUPS = [
  { action: 'allow', title: 'Newly allowed' },
  { action: 'review', title: 'Newly up for review' },
  { action: 'deny', title: 'Newly denied' },
] as const

function group(title: string, changes: readonly Change[], explain: (destination: string) => void): readonly HTMLElement[] {
  if (changes.length === 0) return []
  return [
    element('h3', {}, title),
    element('ul', { class: 'changes' }, ...changes.map((change) => changeItem(change, explain))),
  ]
}

function changeItem(change: Change, explain: (destination: string) => void): HTMLElement {
  const destination = endpoint(change.host, change.port)
  return element(
    'li',
    {},
    element(
      'button',
      { type: 'button', class: 'link', title: 'Explain in the destination tester', click: () => explain(destination) },
      element('code', {}, destination),
    ),
    element('dl', {}, element('dt', {}, 'old'), side(change.old), element('dt', {}, 'new'), side(change.new)),
  )
}

function side(decision: Change['old']): HTMLElement {
  return element('dd', {}, badge(decision), ' ', element('span', { class: 'because' }, ...because(decision)))
}
