import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

import { temporary } from '../package.mjs'
import { bundles } from './bundles.mjs'
import { EXPECTED } from './usage.mjs'

for (const [name, make] of Object.entries(bundles.node)) {
  test(`a bundle for Node by ${name} is one file that runs anywhere`, { timeout: 120_000 }, async () => {
    const folder = join(temporary, 'node-bundles', name.replaceAll(/\W+/g, '-'))
    const file = await make(folder)
    assert.equal(execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' }), `${EXPECTED}\n`)
  })
}
