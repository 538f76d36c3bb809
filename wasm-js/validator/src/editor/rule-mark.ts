// Marks the entry that decides about a destination, or that nearly would.

import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'

import type { Range } from '../worker/protocol.js'

export type RuleKind = 'allow' | 'deny' | 'near'

export interface Rule {
  readonly range: Pick<Range, 'from' | 'to'>
  readonly kind: RuleKind
}

/** Marks a rule, or none. */
export const markRule = StateEffect.define<Rule | undefined>()

export const ruleMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let moved = marks.map(transaction.changes)
    for (const effect of transaction.effects) {
      if (effect.is(markRule)) moved = effect.value === undefined ? Decoration.none : decorate(effect.value, transaction.newDoc)
    }
    return moved
  },
  provide: (field) => EditorView.decorations.from(field),
})

function decorate({ range: { from, to }, kind }: Rule, doc: { lineAt(pos: number): { from: number } }): DecorationSet {
  const line = Decoration.line({ class: `cm-rule-line cm-rule-${kind}` }).range(doc.lineAt(from).from)
  if (from === to) return Decoration.set([line])
  return Decoration.set([line, Decoration.mark({ class: `cm-rule cm-rule-${kind}` }).range(from, to)])
}
