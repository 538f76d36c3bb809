// Beside the sandbox runtime's own functions, on generated hosts and patterns. Every difference has
// to be one of the documented ones, and each of those has to turn up.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as patterns from '@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js'
import * as hosts from '@anthropic-ai/sandbox-runtime/dist/sandbox/parent-proxy.js'

import { load } from '../package.mjs'

const { compat } = await load()
const srt = { ...patterns, ...hosts }

/** Small and repeatable: xorshift32. */
function generator(seed) {
  let state = seed
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const pick = (list) => list[next() % list.length]
  return { next, pick }
}

const LABELS = ['com', 'example', 'a', 'GitHub', 'xn--bcher-kva', 'xn--', 'a_b', '-', '0x7f', '1', '127', '08', '256', 'b', 'co', 'localhost', '', 'bücher', '0', '0x', '4294967296']
const ADDRESSES = ['127.0.0.1', '8.8.8.8', '::1', '0:0:0:0:0:0:0:1', '::ffff:1.2.3.4', '::FFFF:102:304', '2001:DB8::1', '1.2.3.4', '::', 'fe80::1%eth0', '1:2:3:4:5:6:7:8', '::1.2.3.4']
const ODDITIES = ['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[a.com]', '[127.1]', '[1.2.3.4]', 'a b', 'user@a.com', 'a.com/x', 'a.com..', '.', '..', 'http://a.com', '%41.com', 'a\u0000.com', 'ａ.com', '[::1', ']', '[]']

function host({ next, pick }) {
  switch (next() % 8) {
    case 0:
      return pick(ADDRESSES)
    case 1:
      return pick(ODDITIES)
    default:
      return Array.from({ length: 1 + (next() % 4) }, () => pick(LABELS)).join('.') + pick(['', '', '', '.', '..'])
  }
}

function pattern(random) {
  const { next, pick } = random
  const base = next() % 6 === 0 ? `[${host(random)}]` : host(random)
  const port = pick(['', '', '', ':443', ':22', ':0', ':080', ':65535', ':65536', ':443:443', ':'])
  return pick(['', '', '', '*.', '*.', '*']) + base + port
}

const isSpeltOddly = (text) => compat.isValidHost(text) && compat.canonicalizeHost(text) !== lower(text)
const ROUNDS = 30_000
const isMapped = (text) => /::ffff:/i.test(text)
const isBracketed = (text) => text.startsWith('[')
const lower = (text) => text.toLowerCase()

function compare(generate, ask) {
  const random = generator(0x5eed)
  const seen = new Map()
  for (let round = 0; round < ROUNDS; round += 1) {
    const input = generate(random)
    const { ours, theirs, difference } = ask(input)
    if (Object.is(ours, theirs)) continue
    const because = difference(ours, theirs)
    assert.ok(because, `${JSON.stringify(input)}: ${JSON.stringify(ours)}, not ${JSON.stringify(theirs)}`)
    seen.set(because, (seen.get(because) ?? 0) + 1)
  }
  return [...seen.keys()].sort()
}

test('isValidHost', () => {
  const seen = compare(host, (text) => ({
    ours: compat.isValidHost(text),
    theirs: srt.isValidHost(text),
    difference: (ours) => !ours && isBracketed(text) && 'D11',
  }))
  assert.deepEqual(seen, ['D11'])
})

test('canonicalizeHost of valid hosts', () => {
  const seen = compare(host, (text) => {
    if (!compat.isValidHost(text)) return { ours: compat.canonicalizeHost(text), theirs: undefined }
    return {
      ours: compat.canonicalizeHost(text),
      theirs: srt.canonicalizeHost(text),
      difference: (ours, theirs) => (isMapped(text) ? 'D8' : theirs === undefined && 'D1'),
    }
  })
  assert.deepEqual(seen, ['D1', 'D8'])
})

test('splitDomainPatternPort', () => {
  const text = ({ hostPattern, port }) => `${hostPattern} ${port}`
  const seen = compare(pattern, (entry) => ({
    ours: text(compat.splitDomainPatternPort(entry)),
    theirs: text(srt.splitDomainPatternPort(entry)),
    difference(ours) {
      if (isMapped(entry)) return 'D8'
      if (isBracketed(entry) && ours === `${entry} undefined`) return 'D3'
      // The URL parser digests more than addresses, such as `http://a.com:443`.
      return !isBracketed(entry) && ours === `${entry} undefined` && 'D3, without brackets'
    },
  }))
  assert.deepEqual(seen.filter((difference) => difference !== 'D3, without brackets'), ['D3', 'D8'])
})

test('matchesDomainPatternWithPort and matchesDomainPattern, for the hosts that the runtime gives them', () => {
  const withPort = (random) => {
    const name = host(random)
    const entry = random.next() % 3 === 0 ? name + random.pick(['', ':443', ':22']) : pattern(random)
    return { name: compat.isValidHost(name) ? name : 'a.example.com', port: random.pick([443, 22, 0]), entry }
  }
  for (const ported of [true, false]) {
    const seen = compare(withPort, ({ name, port, entry }) => {
      const canonical = srt.canonicalizeHost(name) ?? name
      return {
        ours: ported ? compat.matchesDomainPatternWithPort(canonical, port, entry) : compat.matchesDomainPattern(canonical, entry),
        theirs: ported ? srt.matchesDomainPatternWithPort(canonical, port, entry) : srt.matchesDomainPattern(canonical, entry),
        difference(ours) {
          const { hostPattern } = compat.splitDomainPatternPort(entry)
          if (isMapped(name) || isMapped(entry)) return 'D8'
          if (isBracketed(entry)) return ours ? !ported && 'brackets are read' : 'D3'
          // Texts with more than one colon that the URL parser makes a host of.
          if (!ours && hostPattern.includes(':')) return 'D3'
          if (canonical !== compat.canonicalizeHost(name)) return 'D1'
          if (ours && [entry, hostPattern].some(isSpeltOddly)) return 'D10'
          // The canonical host `a.` by itself is the name `a`.
          return canonical.endsWith('.') && 'a dot at the end is dropped'
        },
      }
    })
    for (const difference of ['D1', 'D8', 'D10']) assert.ok(seen.includes(difference), `${difference} in ${seen}`)
  }
})
