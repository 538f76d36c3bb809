// Completes keys and values from the configuration's JSON Schema.

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  insertCompletionText,
  pickedCompletion,
  snippet,
} from '@codemirror/autocomplete'
import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
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
  const quoted = quotedAround(state, pos)
  const word = context.matchBefore(/[A-Za-z]+/)
  // Not by itself where nothing was typed yet: Enter would take the first one.
  if (quoted === undefined && word === null && !context.explicit) return null
  const from = quoted?.from ?? word?.from ?? pos
  const place = placeOf(quoted ?? at, state, from)
  if (place === undefined) return null
  const options =
    place.kind === 'key'
      ? keys(schemaAt(root, place.path), place.present, hasColon(state, quoted?.to ?? pos))
      : values(schemaAt(root, place.path), context.explicit)
  return options.length === 0 ? null : { from, options }
}

/** The key or string that a position is inside of. */
function quotedAround(state: EditorState, pos: number): SyntaxNode | undefined {
  const at = treeTo(state, pos).resolveInner(pos, -1)
  return (at.name === 'PropertyName' || at.name === 'String') && at.from < pos ? at : undefined
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
      const apply = nameOnly ? applyText : applySnippet(`"${key}": ${template(value)}`)
      return { label: `"${key}"`, type: 'property', apply, ...documentation(value) }
    })
}

function applyText(view: EditorView, completion: Completion, from: number, to: number): void {
  view.dispatch({
    ...insertCompletionText(view.state, completion.label, from, endOfQuoted(view.state, to)),
    annotations: pickedCompletion.of(completion),
  })
}

function applySnippet(text: string): typeof applyText {
  return (view, completion, from, to) => snippet(text)(view, completion, from, endOfQuoted(view.state, to))
}

/** What is left of the word behind the cursor, with its closing quote, goes too. */
function endOfQuoted(state: EditorState, pos: number): number {
  return quotedAround(state, pos)?.to ?? pos
}

/** A value to fill in, as a snippet. */
function template(schema: Schema): string {
  const types = [schema.type ?? []].flat()
  if (types.includes('object')) return '{${}}'
  if (types.includes('array')) return '["${}"]'
  return `\${${JSON.stringify(schema.default ?? null)}}`
}

/** Examples only on demand: somebody who types must not get one by accident. */
function values(schema: Schema | undefined, withExamples: boolean): readonly Completion[] {
  if (schema === undefined) return []
  const words = (schema.anyOf ?? [])
    .filter((word) => word.const !== undefined && word.const !== null)
    .map((word) => ({ label: JSON.stringify(word.const), type: 'enum', ...documentation(word) }))
  const booleans = [schema.type ?? []].flat().includes('boolean') ? ['true', 'false'] : []
  const examples = withExamples ? (schema.examples ?? []) : []
  return [
    ...words,
    ...booleans.map((label) => ({ label, type: 'keyword' })),
    ...examples.map((example) => ({ label: JSON.stringify(example), type: 'text', detail: 'example' })),
  ].map((completion) => ({ ...completion, apply: applyText }))
}

function documentation({ description }: Schema): { info?: string } {
  return description === undefined ? {} : { info: description.replaceAll('`', '') }
}
