import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatChanges } from '../../src/editor/format.js'

function format(text: string): string {
  let out = ''
  let end = 0
  for (const { from, to, insert } of formatChanges(text)) {
    assert.ok(from >= end, 'changes are in order')
    assert.match(text.slice(from, to), /^\s*$/, 'only white space is replaced')
    out += text.slice(end, from) + insert
    end = to
  }
  return out + text.slice(end)
}

test('the layout is that of JSON.stringify', () => {
  for (const value of [{}, [], { a: [] }, [[], {}], { a: [1, 'x', null, true], b: { c: -1.5e3 } }, '"', ['{', '\\"', 'a: b, [c]']]) {
    for (const space of [0, 1, 4, '\t']) {
      assert.equal(format(JSON.stringify(value, null, space)), `${JSON.stringify(value, null, 2)}\n`)
    }
  }
})

test('repeated keys, their order and spellings stay', () => {
  assert.equal(format('{"b":1,"10":2,"b":1e0,"\\u0061":"\\/"}'), '{\n  "b": 1,\n  "10": 2,\n  "b": 1e0,\n  "\\u0061": "\\/"\n}\n')
})

test('a text that is laid out already is not changed', () => {
  assert.deepEqual(formatChanges(format('{"a":[1,{"b":2}]}')), [])
})
