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
    const link = `${location.href.replace(/#.*$/, '')}#${await writeLink(shared)}`
    const field = element('input', { type: 'text', readonly: true, value: link, 'aria-label': 'Link', focus: selectAll })
    return [
      element('p', {}, 'This link holds the configuration itself, the destinations and the old file. Whoever has it can read them.'),
      element('div', { class: 'bar' }, field, copyButton('link', () => link)),
      element('p', { class: 'hint' }, 'They stand behind the # of the address, which browsers do not send to a server.'),
    ]
  } catch (error) {
    if (!(error instanceof LinkError)) throw error
    return [element('p', { class: 'callout' }, error.message)]
  }
}

function selectAll({ target }: FocusEvent): void {
  if (target instanceof HTMLInputElement) target.select()
}
