// The warning that goes with hosts where anyone can upload.

import type { Diagnostic } from 'pi-sandbox-policy'

import { element } from '../dom.js'

const UPLOAD_LINTS = new Set(['multi-tenant-host', 'public-suffix-wildcard'])

/** Where the entries stand that the core warns of. */
export function uploadPlaces(diagnostics: readonly Diagnostic[]): ReadonlySet<number> {
  return new Set(diagnostics.filter(({ code }) => UPLOAD_LINTS.has(code)).map(({ from }) => from))
}

export function uploadWarning(who: string): HTMLElement {
  return element(
    'p',
    { class: 'callout' },
    element('strong', {}, 'A domain list is not a data-loss boundary.'),
    ` ${who} allows hosts where anyone can upload: whoever may reach one can carry data out through it.`,
  )
}
