import assert from 'node:assert/strict'
import { test } from 'node:test'

import { CompletionContext } from '@codemirror/autocomplete'
import { json } from '@codemirror/lang-json'
import { EditorState } from '@codemirror/state'
import { configSchema } from 'pi-sandbox-policy/inline'

import { schemaCompletion } from '../../src/editor/schema-completion.js'

const complete = schemaCompletion(() => configSchema())

/** The completions at the `|`, and the text that chooses among them. */
function at(marked: string, explicit = true) {
  const pos = marked.indexOf('|')
  const doc = marked.replace('|', '')
  const state = EditorState.create({ doc, extensions: json() })
  const result = complete(new CompletionContext(state, pos, explicit))
  if (result === null) return undefined
  return { labels: result.options.map(({ label }) => label), filter: doc.slice(result.from, pos) }
}

test('keys of the object, without those that are there', () => {
  assert.deepEqual(at('{|}')?.labels, ['"subagents"', '"filesystem"', '"network"', '"hostIPC"'])
  assert.deepEqual(at('{"network": {}, |}')?.labels, ['"subagents"', '"filesystem"', '"hostIPC"'])
  assert.deepEqual(at('{"network": {"allowedDomains": [], |}}')?.labels, ['"deniedDomains"'])
  assert.deepEqual(at('{"hostIPC": {\n  |\n}, "network": {}}')?.labels.length, 3)
})

test('what was typed chooses among them, with its quote', () => {
  assert.deepEqual(at('{"n|"}'), { labels: ['"subagents"', '"filesystem"', '"network"', '"hostIPC"'], filter: '"n' })
  assert.deepEqual(at('{"|"}', false)?.filter, '"')
  assert.deepEqual(at('{"ne|t": {}}', false)?.filter, '"ne')
  assert.deepEqual(at('{ne|}', false)?.filter, 'ne')
  assert.deepEqual(at('{"hostIPC": {"mode": "o|"}}'), { labels: ['"off"', '"ask"'], filter: '"o' })
})

test('words and booleans as values, right behind the colon too', () => {
  assert.deepEqual(at('{"subagents": {"provider": |}}')?.labels, ['"builtin"', '"pi-subagents"', '"off"'])
  assert.deepEqual(at('{"hostIPC": {"retryOnUnixSocketError": |')?.labels, ['true', 'false'])
})

test('examples on demand alone', () => {
  assert.ok(at('{"network": {"allowedDomains": ["|"]}}')?.labels.includes('"*.example.com"'))
  assert.equal(at('{"network": {"allowedDomains": ["|"]}}', false), undefined)
})

test('nothing by itself before something was typed', () => {
  for (const text of ['{|}', '{"network": |}', '{"network": {}, |}']) assert.equal(at(text, false), undefined, text)
})

test('nothing where the schema says nothing', () => {
  assert.equal(at('{"zz": {|}}'), undefined)
  assert.equal(at('{"zz": |}'), undefined)
  assert.equal(at('{"__proto__": {|}}'), undefined)
  assert.equal(at('{"network": {}}  |'), undefined)
})
