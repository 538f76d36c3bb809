// Shows what the schema says about a key or a word, under the pointer or, with a key, at the cursor.

import { StateEffect, StateField } from '@codemirror/state'
import { type Command, EditorView, hoverTooltip, showTooltip, type Tooltip } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'

import { element, sentence } from '../dom.js'
import type { Schema } from '../worker/protocol.js'
import { isValue, pathOf, schemaAt, treeTo } from './json-path.js'

type SchemaSource = () => Schema | undefined

export function schemaHover(schema: SchemaSource) {
  return [hoverTooltip((view, pos, side) => tooltipAt(schema(), view, pos, side)), atCursor]
}

const showAtCursor = StateEffect.define<Tooltip | null>()

const atCursor = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, transaction) {
    for (const effect of transaction.effects) if (effect.is(showAtCursor)) return effect.value
    return transaction.docChanged || transaction.selection ? null : tooltip
  },
  provide: (field) => showTooltip.from(field),
})

/** Shows it at the cursor, where there is something to show. */
export function describeAtCursor(schema: SchemaSource): Command {
  return (view) => {
    const { head } = view.state.selection.main
    const tooltip = tooltipAt(schema(), view, head, 1) ?? tooltipAt(schema(), view, head, -1)
    view.dispatch({ effects: showAtCursor.of(tooltip) })
    return true
  }
}

/** Takes it away again; passes the key on where there is nothing. */
export const hideDescription: Command = (view) => {
  if (view.state.field(atCursor) === null) return false
  view.dispatch({ effects: showAtCursor.of(null) })
  return true
}

function tooltipAt(root: Schema | undefined, view: EditorView, pos: number, side: -1 | 1): Tooltip | null {
  if (root === undefined) return null
  const node = treeTo(view.state, pos).resolveInner(pos, side)
  const text = describe(root, node, view)
  if (text === undefined) return null
  return { pos: node.from, end: node.to, above: true, create: () => ({ dom: show(text) }) }
}

interface Description {
  readonly text: string
  readonly fallback: string | undefined
}

function describe(root: Schema, node: SyntaxNode, view: EditorView): Description | undefined {
  if (node.name !== 'PropertyName' && !isValue(node)) return undefined
  const found = schemaAt(root, pathOf(node, view.state.doc))
  if (found === undefined) return undefined
  if (node.name === 'PropertyName') {
    const fallback = found.default === undefined ? undefined : JSON.stringify(found.default)
    return found.description === undefined ? undefined : { text: found.description, fallback }
  }
  const written = view.state.sliceDoc(node.from, node.to)
  const word = found.anyOf?.find((choice) => JSON.stringify(choice.const) === written)
  return word?.description === undefined ? undefined : { text: word.description, fallback: undefined }
}

function show({ text, fallback }: Description): HTMLElement {
  const byDefault = fallback === undefined ? undefined : element('p', {}, 'By default ', element('code', {}, fallback), '.')
  return element('div', { class: 'cm-description' }, element('p', {}, ...sentence(text)), byDefault)
}
