import { element, visible } from './dom.js'

/** Says something that needs attention, until it is dismissed or the next thing is said. */
export function notice(root: HTMLElement, text: string): void {
  const dismiss = () => root.replaceChildren()
  root.replaceChildren(
    element(
      'p',
      { class: 'notice' },
      element('span', {}, visible(text)),
      element('button', { type: 'button', 'aria-label': 'Dismiss', click: dismiss }, '×'),
    ),
  )
}
