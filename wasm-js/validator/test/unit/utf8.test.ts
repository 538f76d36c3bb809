import assert from 'node:assert/strict'
import { test } from 'node:test'

import { decodeUTF8, loneSurrogate } from '../../src/utf8.js'

const bytes = (...values: number[]) => Uint8Array.from(values)

test('text is text, with its byte order mark', () => {
  assert.equal(decodeUTF8(new TextEncoder().encode('\ufeff{"ü":"😀"}')), '\ufeff{"ü":"😀"}')
  assert.equal(decodeUTF8(bytes()), '')
})

test('the first wrong byte is named', () => {
  for (const [input, at] of [
    [bytes(0xff), 0],
    [bytes(0x61, 0x62, 0xfc, 0x63), 2],
    [bytes(0xc3, 0xbc, 0xc3, 0x28), 2],
    [bytes(0x61, 0xf0, 0x9f, 0x98), 1],
    [bytes(0xed, 0xa0, 0x80), 0],
    [bytes(0x61, 0xc0, 0xaf), 1],
  ] as const) {
    assert.throws(() => decodeUTF8(input), { message: `it is not UTF-8: the first wrong byte is number ${at}, counted from 0` })
  }
})

test('UTF-16 is called by its name', () => {
  assert.throws(() => decodeUTF8(bytes(0xff, 0xfe, 0x7b, 0)), /it is UTF-16/)
  assert.throws(() => decodeUTF8(bytes(0xfe, 0xff, 0, 0x7b)), /it is UTF-16/)
})

test('half of a surrogate pair is found, a whole one is not', () => {
  assert.equal(loneSurrogate('a😀b'), -1)
  assert.equal(loneSurrogate('a\ud83d b'), 1)
  assert.equal(loneSurrogate('\ude00\ud83d'), 0)
})
