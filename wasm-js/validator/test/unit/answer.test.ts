import assert from 'node:assert/strict'
import { test } from 'node:test'

import { answerer, MOST_CHANGES } from '../../src/worker/answer.js'
import type { Question } from '../../src/worker/protocol.js'

const answer = answerer()
const ask = (text: string, more: Partial<Question> = {}) =>
  answer({ version: 7, text, destinations: [], explained: undefined, older: undefined, normalised: false, ...more })
const config = (allowedDomains: readonly string[], deniedDomains: readonly string[] = []) =>
  JSON.stringify({ network: { allowedDomains, deniedDomains } })

test('a valid text has counts and a fingerprint, and its normalised form on demand', () => {
  const { version, check } = ask(config([' A.example ', 'A.example'], ['*']))
  assert.equal(version, 7)
  assert.ok(check.valid)
  assert.deepEqual([check.allowed, check.denied, check.normalised], [1, 1, undefined])
  const { check: again } = ask(config(['A.example']), { normalised: true })
  assert.ok(again.valid)
  assert.deepEqual(JSON.parse(again.normalised?.policy ?? ''), { allowedDomains: ['A.example'], deniedDomains: [] })
  assert.equal((JSON.parse(again.normalised?.configuration ?? '') as { hostIPC: { mode: string } }).hostIPC.mode, 'off')
})

test('a text that is not valid has no decision of any kind', () => {
  const found = ask(config(['-']), { destinations: [{ host: 'a.example', port: 443 }], explained: 0, older: config([]) })
  assert.ok(!found.check.valid)
  assert.match(found.check.refusal, /^invalid pi-sandbox configuration: /)
  assert.deepEqual([found.decisions, found.explained, found.comparison], [[], undefined, undefined])
})

test('an explanation comes with the places of all entries that it mentions', () => {
  // The core counts bytes, the editor does not; and repeated entries are dropped before they are counted.
  const text = `{"filesystem":{"additionalAllowRead":["/ü😀"]},${config(['b.example', 'b.example', '*.c.example']).slice(1)}`
  const { decisions, explained } = ask(text, {
    destinations: [
      { host: 'b.example', port: 1 },
      { host: 'x.c.example', port: 1 },
    ],
    explained: 1,
  })
  assert.deepEqual(decisions.map(({ action }) => action), ['allow', 'allow'])
  assert.equal(explained?.index, 1)
  const [place] = explained?.places ?? []
  assert.equal(text.slice(place?.range?.from, place?.range?.to), '"*.c.example"')
})

test('a review comes with the entry that would allow it and nothing else, and with its place', () => {
  const text = config(['*.b.example', 'c.example:1'])
  const of = (host: string, port: number, configuration = text) =>
    ask(configuration, { destinations: [{ host, port }], explained: 0 }).explained?.exact
  const exact = of('B.Example.', 8443)
  assert.equal(exact?.entry, 'b.example:8443')
  assert.equal(text.slice(exact.last?.from, exact.last?.to), '"c.example:1"')
  assert.deepEqual(of('b.example', 1, config([])), { entry: 'b.example:1', last: undefined })
  assert.equal(of('a.b.example', 443), undefined)
  assert.equal(of('localhost', 443), undefined)
  // No entry of a file can name it.
  assert.equal(of('_x.example', 443)?.entry, undefined)
})

test('why a host is none is known without asking for it', () => {
  const { malformed } = ask(config([]), { destinations: [{ host: 'a.example', port: 1 }, { host: 'a b', port: 1 }] })
  assert.deepEqual([...malformed], [[1, '`a b` is denied: a host has no space in it']])
})

test('a comparison lists a decision on both sides for every change', () => {
  const { comparison } = ask(config(['a.example']), { older: config([], ['a.example']) })
  assert.ok(comparison?.valid)
  assert.equal(comparison.relation, 'wider')
  assert.deepEqual(
    comparison.changes.map((change) => [change.host, change.old.action, change.new.action]),
    [['a.example', 'deny', 'allow']],
  )
  const bad = ask(config([]), { older: '[]' }).comparison
  assert.deepEqual(bad, { valid: false, problem: 'invalid pi-sandbox configuration: root must be an object' })
})

test('a long comparison is cut, and says by how much', () => {
  const names = Array.from({ length: MOST_CHANGES + 5 }, (_, index) => `h${index}.example`)
  const { comparison } = ask(config(names), { older: config([]) })
  assert.ok(comparison?.valid)
  assert.deepEqual([comparison.changes.length, comparison.omitted], [MOST_CHANGES, 5])
})
