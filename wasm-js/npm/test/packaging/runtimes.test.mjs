import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { project } from '../package.mjs'
import { leftOut, programs } from './tools.mjs'
import { EXPECTED, NAMES, program } from './usage.mjs'

// Deno gets no permission at all; nothing is to be fetched.
const RUNTIMES = {
  node: [],
  'node-22': [],
  'node-24': [],
  deno: ['run', '--no-prompt', '--cached-only', '--node-modules-dir=manual', '--no-config'],
  bun: ['run'],
}

const run = (runtime, args, extra = []) =>
  execFileSync(programs[runtime], [...RUNTIMES[runtime], ...extra, ...args], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: project, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
  })

const script = (name, text) => {
  writeFileSync(join(project, name), text)
  return name
}

for (const runtime of Object.keys(RUNTIMES)) {
  const options = { skip: leftOut(runtime) }
  for (const entry of ['pi-sandbox-policy', 'pi-sandbox-policy/inline']) {
    test(`${runtime}: import ${entry}`, options, () => {
      const name = script('esm.mjs', `import ${NAMES} from '${entry}'\n${program('console.log')}`)
      assert.equal(run(runtime, [name]), `${EXPECTED}\n`)
    })
    test(`${runtime}: require ${entry}`, options, () => {
      const name = script('commonjs.cjs', `const ${NAMES} = require('${entry}')\n${program('console.log')}`)
      assert.equal(run(runtime, [name]), `${EXPECTED}\n`)
    })
  }
  test(`${runtime}: compat, and one set of classes`, options, () => {
    const text = `import { createRequire } from 'node:module'
import { NetworkPolicy, ConfigError } from 'pi-sandbox-policy'
import { parsePiSandboxConfig, loadPiSandboxConfig, ConfigError as Compat } from 'pi-sandbox-policy/compat'
const commonjs = createRequire(import.meta.url)('pi-sandbox-policy')
console.log(
  commonjs.NetworkPolicy === NetworkPolicy && ConfigError === Compat,
  parsePiSandboxConfig({}).hostIPC.mode,
  loadPiSandboxConfig({ path: '${join(project, 'none.json')}' }).subagents.provider,
)\n`
    const permissions = runtime === 'deno' ? ['--allow-read', '--allow-env', '--allow-sys'] : []
    assert.equal(run(runtime, [script('compat.mjs', text)], permissions), 'true off builtin\n')
  })
}
