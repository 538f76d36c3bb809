// Completes keys and values from the configuration's JSON Schema.

import { type Completion, type CompletionContext, type CompletionResult, snippetCompletion } from '@codemirror/autocomplete'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

import type { Schema } from '../worker/protocol.js'
import { ITEM, keyOf, pathOf, schemaAt, treeTo } from './json-path.js'

/** The source of completions. Gives nothing as long as there is no schema. */
export function schemaCompletion(schema: () => Schema | undefined): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const root = schema()
    return root === undefined ? null : complete(root, context)
  }
}

function complete(root: Schema, context: CompletionContext): CompletionResult | null {
  const { state, pos } = context
  const at = treeTo(state, pos).resolveInner(pos, -1)
  // Inside quotes: they are replaced with what is between them.
  const quoted = (at.name === 'PropertyName' || at.name === 'String') && at.from < pos ? at : undefined
  const word = context.matchBefore(/[A-Za-z]+/)
  if (quoted === undefined && word === null && !context.explicit && !/[{[,:"]/.test(before(state, pos))) return null
  const from = quoted?.from ?? word?.from ?? pos
  const to = quoted?.to ?? pos
  const place = placeOf(quoted ?? at, state, from)
  if (place === undefined) return null
  const options =
    place.kind === 'key' ? keys(schemaAt(root, place.path), place.present, hasColon(state, to)) : values(schemaAt(root, place.path))
  if (options.length === 0) return null
  return { from, to, options, filter: true }
}

type Place =
  | { readonly kind: 'key'; readonly path: ReturnType<typeof pathOf>; readonly present: ReadonlySet<string> }
  | { readonly kind: 'value'; readonly path: ReturnType<typeof pathOf> }

function placeOf(node: SyntaxNode, state: EditorState, from: number): Place | undefined {
  const { doc } = state
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (at.name === 'Property') {
      const name = at.getChild('PropertyName')
      const isName = name !== null && from <= name.from
      if (!isName) return { kind: 'value', path: pathOf(at, doc) }
    }
    if (at.name === 'Array') return { kind: 'value', path: [...pathOf(at, doc), ITEM] }
    if (at.name === 'Object') return objectPlace(at, state, from)
  }
  return undefined
}

/** Directly behind a `:` a value is due, even where the parser has not seen one yet. */
function objectPlace(object: SyntaxNode, state: EditorState, from: number): Place {
  const path = pathOf(object, state.doc)
  const properties = object.getChildren('Property')
  const open = properties.findLast((property) => property.to <= from)
  const key = open && keyOf(open, state.doc)
  if (before(state, from) === ':' && key !== undefined) return { kind: 'value', path: [...path, key] }
  const others = properties.filter((property) => !(property.from <= from && from <= property.to))
  const present = others.map((property) => keyOf(property, state.doc)).filter((name) => name !== undefined)
  return { kind: 'key', path, present: new Set(present) }
}

/** The last character before a position that is no white space. */
function before(state: EditorState, pos: number): string {
  return state.sliceDoc(Math.max(0, pos - 200), pos).trimEnd().at(-1) ?? ''
}

function hasColon(state: EditorState, pos: number): boolean {
  return state.sliceDoc(pos, pos + 200).trimStart().startsWith(':')
}

function keys(schema: Schema | undefined, present: ReadonlySet<string>, nameOnly: boolean): readonly Completion[] {
  return Object.entries(schema?.properties ?? {})
    .filter(([key]) => !present.has(key))
    .map(([key, value]) => {
      const completion = { label: `"${key}"`, type: 'property', ...documentation(value) }
      return nameOnly ? completion : snippetCompletion(`"${key}": ${template(value)}`, completion)
    })
}

/** A value to fill in, as a snippet. */
function template(schema: Schema): string {
  const types = [schema.type ?? []].flat()
  if (types.includes('object')) return '{${}}'
  if (types.includes('array')) return '["${}"]'
  return `\${${JSON.stringify(schema.default ?? null)}}`
}

function values(schema: Schema | undefined): readonly Completion[] {
  if (schema === undefined) return []
  const words = (schema.anyOf ?? [])
    .filter((word) => word.const !== undefined && word.const !== null)
    .map((word) => ({ label: JSON.stringify(word.const), type: 'enum', ...documentation(word) }))
  const examples = (schema.examples ?? []).map((example) => ({ label: JSON.stringify(example), type: 'text', detail: 'example' }))
  const booleans = [schema.type ?? []].flat().includes('boolean') ? ['true', 'false'] : []
  return [...words, ...booleans.map((label) => ({ label, type: 'keyword' })), ...examples]
}

function documentation({ description }: Schema): { info?: string } {
  return description === undefined ? {} : { info: description.replaceAll('`', '') }
}
