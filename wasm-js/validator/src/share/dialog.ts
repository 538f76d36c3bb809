// The dialog that makes a link.

import { copyButton } from '../clipboard.js'
import { element } from '../dom.js'
import { LinkError, type Shared, writeLink } from './link.js'

export async function openShareDialog(dialog: HTMLDialogElement, content: HTMLElement, shared: Shared): Promise<void> {
  content.replaceChildren(...(await describe(shared)))
  dialog.showModal()
}

async function describe(shared: Shared): Promise<readonly HTMLElement[]> {
  try {
    const fragment = `#${await writeLink(shared)}`
    // The address of a file means something on this computer only, and names its folders.
    const fromFile = location.protocol === 'file:'
    const link = fromFile ? fragment : location.href.replace(/#.*$/, '') + fragment
    const field = element('input', { type: 'text', readonly: true, value: link, 'aria-label': 'Link', focus: selectAll })
    const parts = [
      element('p', {}, 'This link holds the configuration itself, the destinations and the old file. Whoever has it can read them.'),
      element('div', { class: 'bar' }, field, copyButton('link', () => link)),
      fromFile ? element('p', {}, FROM_FILE) : undefined,
      element('p', { class: 'hint' }, 'They stand behind the # of the address, which browsers do not send to a server.'),
    ]
    return parts.filter((part) => part !== undefined)
  } catch (error) {
    if (!(error instanceof LinkError)) throw error
    return [element('p', { class: 'callout' }, error.message)]
  }
}

const FROM_FILE =
  'This page was opened from a file, so this is the end of the address only. Whoever gets it needs a copy of the page, and writes this behind its address.'

function selectAll({ target }: FocusEvent): void {
  if (target instanceof HTMLInputElement) target.select()
}
