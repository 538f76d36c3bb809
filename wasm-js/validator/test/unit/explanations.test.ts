import assert from 'node:assert/strict'
import { test } from 'node:test'

import lintPage from '../../../../policy-core/spec/lint.md'
import { explanations } from '../../src/explanations.js'

test('every lint of the specification is explained, with an example where it has one', () => {
  const found = explanations()
  const codes = [...lintPage.matchAll(/^\*\*LINT-\d+\*\* `([a-z-]+)`:/gm)].map(([, code]) => code)
  assert.ok(codes.length >= 11)
  assert.deepEqual([...found.keys()], codes)
  for (const [code, blocks] of found) {
    assert.equal(blocks[0]?.kind, 'text', code)
    for (const { text } of blocks) assert.doesNotMatch(text, /\*\*LINT|\]\(|^\s|\s$/, code)
  }
  assert.ok(found.get('shadowed-allow')?.some(({ kind, text }) => kind === 'example' && text.includes('deniedDomains')))
})
