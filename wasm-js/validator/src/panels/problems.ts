// The list of problems: what, where, what to do about it, and why.

import type { Diagnostic, Fix } from 'pi-sandbox-policy'

import { count, element, sentence } from '../dom.js'
import { type Block, explanations } from '../explanations.js'
import { fixLabel } from '../fix-label.js'
import { uploadPlaces, uploadWarning } from './uploads.js'

export interface ProblemActions {
  readonly jump: (diagnostic: Diagnostic) => void
  readonly apply: (fix: Fix) => void
}

/** As many are listed at first. */
const FIRST = 100

export class ProblemsPanel {
  readonly #root: HTMLElement
  readonly #actions: ProblemActions
  readonly #explanations = explanations()
  #all = false
  /** After a fix from the list the keyboard stays in the list. */
  #focusAt: number | undefined

  constructor(root: HTMLElement, actions: ProblemActions) {
    this.#root = root
    this.#actions = actions
  }

  /** Undefined: nothing is known. */
  show(diagnostics: readonly Diagnostic[] | undefined): void {
    if (diagnostics === undefined) {
      this.#root.replaceChildren()
      return
    }
    if (diagnostics.length === 0) {
      this.#root.replaceChildren(element('p', { class: 'empty' }, 'Nothing to fix, nothing to note.'))
    } else {
      const ordered = diagnostics.toSorted((a, b) => RANKS[a.severity] - RANKS[b.severity])
      const listed = this.#all ? ordered : ordered.slice(0, FIRST)
      const items = listed.map((diagnostic, index) => this.#item(diagnostic, index))
      this.#root.replaceChildren(
        ...(uploadPlaces(diagnostics).size > 0 ? [uploadWarning('This file')] : []),
        element('ol', { class: 'problems' }, ...items),
        ...(listed.length < diagnostics.length ? [this.#more(diagnostics)] : []),
      )
    }
    this.#restoreFocus()
  }

  #more(diagnostics: readonly Diagnostic[]): HTMLElement {
    const showAll = () => {
      this.#all = true
      this.#focusAt = FIRST
      this.show(diagnostics)
    }
    return element('button', { type: 'button', click: showAll }, `Show ${count(diagnostics.length - FIRST, 'more', 'more')}`)
  }

  #item(diagnostic: Diagnostic, index: number): HTMLElement {
    const { severity, code, path, line, column, message, help, fix } = diagnostic
    const applyFix = (replacement: Fix) => () => {
      this.#focusAt = index
      this.#actions.apply(replacement)
    }
    return element(
      'li',
      { class: `problem ${severity}` },
      element(
        'button',
        { type: 'button', class: 'jump', click: () => this.#actions.jump(diagnostic) },
        element('span', { class: 'badge' }, SEVERITIES[severity]),
        element('span', { class: 'message' }, ...sentence(message)),
        element('span', { class: 'place' }, [`line ${line}, column ${column}`, path].filter((part) => part !== '').join(' · ')),
      ),
      help === null && fix === null
        ? undefined
        : element(
            'div',
            { class: 'bar remedy' },
            element('p', { class: 'help' }, ...sentence(help ?? (fix === null ? '' : fixLabel(fix)))),
            fix === null
              ? undefined
              : element('button', { type: 'button', class: 'fix', 'aria-label': `Apply: ${fixLabel(fix)}`, click: applyFix(fix) }, 'Apply'),
          ),
      this.#why(code),
    )
  }

  #why(code: string): HTMLElement | undefined {
    const blocks = this.#explanations.get(code)
    if (blocks === undefined) return undefined
    return element(
      'details',
      { class: 'why' },
      element('summary', {}, 'Why? ', element('code', {}, code)),
      ...blocks.map(showBlock),
    )
  }

  #restoreFocus(): void {
    if (this.#focusAt === undefined) return
    const jumps = this.#root.querySelectorAll<HTMLElement>('.jump')
    const target = jumps[Math.min(this.#focusAt, jumps.length - 1)] ?? this.#root
    this.#focusAt = undefined
    target.focus()
  }
}

/** What matters most comes first; among equals the order of the core stays. */
const RANKS = { error: 0, warning: 1, info: 2 }
const SEVERITIES = { error: 'Error', warning: 'Warning', info: 'Note' }

function showBlock({ kind, text }: Block): HTMLElement {
  return kind === 'example' ? element('pre', {}, element('code', {}, text)) : element('p', {}, ...sentence(text))
}
