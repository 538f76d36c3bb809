// What stands on the page survives a reload of the tab, in the tab's own storage.

import type { Shared } from './share/link.js'

const KEY = 'draft'

export function keepDraft(draft: Shared): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft))
  } catch {
    // Too large, or storage is switched off: a draft of before would be worse than none.
    forgetDraft()
  }
}

export function takeDraft(): Shared | undefined {
  try {
    const text = sessionStorage.getItem(KEY)
    return text === null ? undefined : (JSON.parse(text) as Shared)
  } catch {
    return undefined
  }
}

function forgetDraft(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // Without storage there is nothing to forget.
  }
}
