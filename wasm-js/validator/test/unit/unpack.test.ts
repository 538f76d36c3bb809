import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'

import { unpack } from '../../src/worker/unpack.js'

const pack = (bytes: Uint8Array) => deflateRawSync(bytes).toString('base64')

test('what the build packs is unpacked, byte by byte', async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * index) >>> 3)
  assert.deepEqual(new Uint8Array(await unpack(pack(bytes))), bytes)
})

test('what is damaged is not unpacked', async () => {
  await assert.rejects(unpack(pack(new Uint8Array(1000)).slice(0, 8)))
  await assert.rejects(unpack('AAAA'))
})
