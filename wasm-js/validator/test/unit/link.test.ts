import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'

import { isLink, LARGEST_CONTENT, LinkError, LONGEST_LINK, readLink, writeLink } from '../../src/share/link.js'

const pack = (content: string | Uint8Array) => `#v1=${deflateRawSync(content).toString('base64url')}`

test('what is written is read again, character by character', async () => {
  for (const shared of [
    { config: '{}', destinations: '', older: undefined },
    { config: '\ufeff{"ü": "😀"}\n', destinations: 'a.com:1\nb.com:2', older: '' },
    { config: 'half \ud800 a pair', destinations: '', older: '[]' },
  ]) {
    const fragment = await writeLink(shared)
    assert.match(fragment, /^v1=[A-Za-z0-9_-]+$/, 'no character that a chat program would cut at')
    assert.ok(isLink(`#${fragment}`))
    assert.deepEqual(await readLink(`#${fragment}`), shared)
  }
})

test('what is too large is not written', async () => {
  const noise = Array.from({ length: 20_000 }, (_, index) => ((index * 7919) % 104729).toString(36)).join()
  await assert.rejects(writeLink({ config: noise, destinations: '', older: undefined }), /too large for a link: [\d,]+ characters/)
  const empty = ' '.repeat(LARGEST_CONTENT)
  await assert.rejects(writeLink({ config: empty, destinations: '', older: undefined }), /too large for a link: 1,025 KiB/)
})

test('what is no link of ours is refused', async () => {
  for (const [fragment, message] of [
    ['#v1=!', /damaged/],
    ['#v1=', /damaged/],
    [pack('{"config":"","destinations":""}').slice(0, -4), /damaged/],
    [pack('null'), /damaged/],
    [pack('{"config":1,"destinations":""}'), /damaged/],
    [pack('{"config":"","destinations":"","older":{}}'), /damaged/],
    [pack(Buffer.from([0x22, 0xff, 0x22])), /damaged/],
    ['#v2=abc', /not one of this page/],
    [`#v1=${'A'.repeat(LONGEST_LINK)}`, /longer than any/],
  ] as const) {
    await assert.rejects(readLink(fragment), (error) => error instanceof LinkError && message.test(error.message), fragment.slice(0, 80))
  }
  assert.ok(!isLink('#results'))
  assert.ok(!isLink(''))
})

test('unpacking ends at the limit', async () => {
  const bomb = pack(Buffer.alloc(20 * LARGEST_CONTENT))
  assert.ok(bomb.length < LONGEST_LINK)
  await assert.rejects(readLink(bomb), /unpacks to more than 1,024 KiB/)
})
