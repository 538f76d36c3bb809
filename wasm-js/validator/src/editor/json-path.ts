// Where in the JSON document a position of the editor is, and what the schema says about that place.

import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import type { EditorState, Text } from '@codemirror/state'
import type { SyntaxNode, Tree } from '@lezer/common'

import type { Schema } from '../worker/protocol.js'

/** Keys and, for items of arrays, indexes that do not matter here. */
export type Path = readonly (string | typeof ITEM)[]

export const ITEM = Symbol('item')

const PATIENCE = 50

/** The syntax tree, parsed as far as `to` if that is quick. */
export function treeTo(state: EditorState, to: number): Tree {
  return ensureSyntaxTree(state, to, PATIENCE) ?? syntaxTree(state)
}

/** The path of the value that this node is, or is the name or a part of. */
export function pathOf(node: SyntaxNode, doc: Text): Path {
  const path: (string | typeof ITEM)[] = []
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (at.name === 'Property') path.unshift(keyOf(at, doc) ?? '')
    else if (at.parent?.name === 'Array' && isValue(at)) path.unshift(ITEM)
  }
  return path
}

/** The key of a property, read as JSON. */
export function keyOf(property: SyntaxNode, doc: Text): string | undefined {
  const name = property.getChild('PropertyName')
  if (name === null) return undefined
  const text = doc.sliceString(name.from, name.to)
  try {
    return String(JSON.parse(text))
  } catch {
    return text.replace(/^"|"$/g, '')
  }
}

const VALUES = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'])

export function isValue(node: SyntaxNode): boolean {
  return VALUES.has(node.name)
}

/** What the schema says about a place; undefined where it says nothing. */
export function schemaAt(schema: Schema, path: Path): Schema | undefined {
  let at: Schema | undefined = schema
  for (const step of path) {
    if (step === ITEM) at = at?.items
    else at = at?.properties !== undefined && Object.hasOwn(at.properties, step) ? at.properties[step] : undefined
  }
  return at
}
