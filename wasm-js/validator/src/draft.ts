// What stands on the page survives a reload of the tab, in the tab's own storage.

import { type Shared, toShared } from './share/link.js'

const KEY = 'pi-sandbox-validator'

/** In characters: browsers have room for about twice as much. */
const LARGEST = 2_000_000

export function fitsDraft({ config, destinations, older = '' }: Shared): boolean {
  return config.length + destinations.length + older.length <= LARGEST
}

export function keepDraft(draft: Shared): void {
  try {
    // A draft of before would be worse than none.
    sessionStorage.removeItem(KEY)
    if (fitsDraft(draft)) sessionStorage.setItem(KEY, JSON.stringify(draft))
  } catch {
    // Storage is switched off, or full.
  }
}

export function takeDraft(): Shared | undefined {
  try {
    const text = sessionStorage.getItem(KEY)
    return text === null ? undefined : toShared(JSON.parse(text))
  } catch {
    // Storage is switched off, or another page of the same site wrote something else there.
    return undefined
  }
}
