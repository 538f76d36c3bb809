import assert from 'node:assert/strict'
import { test } from 'node:test'

import { load } from '../package.mjs'
import { requests } from '../vectors.mjs'

const { policy: api } = await load()
const { NetworkPolicy, validateConfig, locateEntry, configSchema } = api

const texts = [...requests('diagnostic', 'validate-config'), ...requests('lint', 'validate-config')].map(({ text }) => text)

/** That bytes and indexes name the same range, which starts at that line and those columns. */
function assertRange(text, { start, end, from, to, line, column, columnUtf16 }) {
  const bytes = Buffer.from(text)
  assert.equal(bytes.subarray(0, start).toString(), text.slice(0, from))
  assert.equal(bytes.subarray(start, end).toString(), text.slice(from, to))
  if (line === undefined) return
  const before = text.slice(0, from).split('\n')
  assert.equal(line, before.length)
  assert.equal(columnUtf16, before.at(-1).length + 1)
  assert.equal(column, [...before.at(-1)].length + 1)
}

function assertFrozen(value) {
  if (typeof value !== 'object' || value === null) return
  assert.ok(Object.isFrozen(value))
  Object.values(value).forEach(assertFrozen)
}

test('a diagnostic has its place in bytes for files and in indexes for JavaScript', () => {
  const text = '{\n "näme😀": 1, "network": { "allowedDomains": ["bücher.example"] } }'
  const { valid, diagnostics, omitted } = validateConfig(text)
  assert.equal(valid, false)
  assert.equal(omitted, 0)
  const [key, entry] = diagnostics
  assert.deepEqual([key.code, key.path, key.line, key.column], ['unknown-key', '["näme😀"]', 2, 2])
  assert.equal(text.slice(key.from, key.to), '"näme😀"')
  assert.equal(entry.code, 'entry-not-ascii')
  assert.equal(entry.severity, 'error')
  assert.equal(entry.columnUtf16, entry.column + 1, 'the emoji is two units')
  assert.equal(text.slice(0, entry.fix.from) + entry.fix.text + text.slice(entry.fix.to), text.replace('bücher.example', 'xn--bcher-kva.example'))
})

test('every range of every case is right, and everything is frozen', () => {
  let fixes = 0
  for (const text of texts) {
    const validation = validateConfig(text)
    assertFrozen(validation)
    for (const diagnostic of validation.diagnostics) {
      assertRange(text, diagnostic)
      if (diagnostic.fix === null) continue
      fixes += 1
      assertRange(text, diagnostic.fix)
    }
  }
  assert.ok(fixes > 20)
})

test('a text is valid when parseConfig accepts it, and the error that it names leads', () => {
  for (const text of texts) {
    const { valid, diagnostics } = validateConfig(text)
    let error
    try {
      api.parseConfig(text)
    } catch (caught) {
      error = caught
    }
    assert.equal(valid, error === undefined, text)
    assert.equal(diagnostics.some(({ severity }) => severity === 'error'), !valid)
    if (error?.line !== undefined) assert.equal(diagnostics[0].code, 'invalid-json')
  }
})

test('a list of problems that is too long says how many are left out', () => {
  const { diagnostics, omitted } = validateConfig(JSON.stringify({ network: { allowedDomains: Array(5000).fill('x') } }))
  assert.equal(diagnostics.at(-1).code, 'more-problems')
  assert.equal(omitted + diagnostics.length - 1, 5000)
})

test('an entry of the policy is found in its text', () => {
  const text = '{"network":{"allowedDomains":["ä.example"," b.example ","c.example","c.example"],"deniedDomains":["*"]}}'
    .replace('ä.example', 'a.example')
    .replace('{', '{"filesystem":{"additionalAllowRead":["/😀"]},')
  const policy = NetworkPolicy.fromConfig(text)
  for (const list of ['allowedDomains', 'deniedDomains']) {
    policy[list].forEach((pattern, index) => {
      const range = locateEntry(text, list, index)
      assertRange(text, range)
      assertFrozen(range)
      assert.equal(JSON.parse(text.slice(range.from, range.to)).trim(), pattern)
    })
    assert.equal(locateEntry(text, list, policy[list].length), undefined)
  }
  assert.equal(locateEntry('{', 'allowedDomains', 0), undefined)
  assert.equal(locateEntry(text, 'allowedDomains', 4294967295), undefined)
})

test('what is no text, list or index is an error', () => {
  for (const value of [5, null, undefined, {}, Symbol('s'), new String('{}')]) {
    assert.throws(() => validateConfig(value), TypeError)
    assert.throws(() => locateEntry(value, 'allowedDomains', 0), TypeError)
    assert.throws(() => locateEntry('{}', value, 0), TypeError)
  }
  assert.throws(() => validateConfig('"\ud800"'), TypeError)
  assert.throws(() => locateEntry('{}', 'network', 0), TypeError)
  assert.throws(() => locateEntry('{}', 'constructor', 0), TypeError)
  for (const index of ['0', 0n, null, undefined, [0]]) assert.throws(() => locateEntry('{}', 'allowedDomains', index), TypeError)
  for (const index of [-1, 0.5, NaN, 4294967296, Infinity]) {
    assert.throws(() => locateEntry('{}', 'allowedDomains', index), RangeError)
  }
})

test('every call gives a schema of its own', () => {
  const schema = configSchema()
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.deepEqual(Object.keys(schema.properties), ['subagents', 'filesystem', 'network', 'hostIPC'])
  schema.properties.network = true
  assert.notEqual(configSchema().properties.network, true)
})
