import { element } from './dom.js'

/** A button that copies a text and says so; `what` tells it apart from others on the page. */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  const word = element('span', {}, 'Copy')
  const name = element('span', { class: 'visually-hidden' }, ` ${what}`)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      word.textContent = 'Copied'
    } catch {
      // Without HTTPS, or without leave, there is no clipboard.
      word.textContent = 'Not allowed here: select it and copy'
    }
    setTimeout(() => (word.textContent = 'Copy'), 2000)
  }
  return element('button', { type: 'button', click: () => void copy() }, word, name)
}
