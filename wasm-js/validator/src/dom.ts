// Makes elements. Text only ever becomes a text node: nothing on the page is parsed as HTML.

export type Child = Node | string | undefined

type Attribute = string | boolean | ((event: never) => void) | undefined

/** An element. A function is a listener, `true` an attribute without a value. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value as EventListener)
    else if (typeof value === 'boolean') made.toggleAttribute(name, value)
    else if (value !== undefined) made.setAttribute(name, value)
  }
  made.append(...children.filter((child) => child !== undefined))
  return made
}

/** The element of the page with this id. */
export function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`)
  return found
}

/** Sentences of the core have what they quote in backticks. */
export function sentence(text: string): readonly Child[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part))
}

/** Text that somebody typed, with its invisible characters as escapes, and not too long. */
export function visible(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return cut.replaceAll(INVISIBLE, escapeOf)
}

const LONGEST = 200
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const escapeOf = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** `1,000`. Not left to `toLocaleString`, whose first call takes longer than all of a verdict. */
export function digits(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 problem`, `2 problems`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${digits(number)} ${number === 1 ? one : many}`
}
