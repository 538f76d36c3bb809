import assert from 'node:assert/strict'
import { test } from 'node:test'

import { count, digits } from '../../src/dom.js'

test('digits are grouped as an English locale does', () => {
  for (const number of [0, 7, 12, 999, 1000, 12_345, 400_000, 1_000_000, 123_456_789]) {
    assert.equal(digits(number), number.toLocaleString('en'))
  }
})

test('what is counted is one, or many', () => {
  assert.deepEqual([count(0, 'problem'), count(1, 'problem'), count(1200, 'entry', 'entries')], ['0 problems', '1 problem', '1,200 entries'])
})
