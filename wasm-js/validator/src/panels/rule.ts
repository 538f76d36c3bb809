// How decisions and entries are written on the page.

import type { Decision, RuleReference } from 'pi-sandbox-policy'

import { type Child, element } from '../dom.js'

export const ACTIONS = { allow: 'Allowed', deny: 'Denied', review: 'Review' }

/** The decision in one word, with its colour. */
export function badge({ action }: Pick<Decision, 'action'>): HTMLElement {
  return element('span', { class: `badge action-${action}` }, ACTIONS[action])
}

/** `host:port`, IPv6 in brackets. */
export function endpoint(host: string, port: number): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`
}

/** What decided, in a few words. */
export function because(decision: Decision): readonly Child[] {
  switch (decision.reason) {
    case 'rule':
      return ['by ', element('code', {}, decision.pattern), ` in ${decision.list}`]
    case 'not-public':
      return ['no entry matches, and it is no public name']
    case 'malformed-host':
      return ['this is no host']
    case 'unmatched':
      return ['no entry matches']
  }
}

/** `allowedDomains[3]` */
export function ruleName({ list, index }: Pick<RuleReference, 'list' | 'index'>): string {
  return `${list}[${index}]`
}
