// Runs these tests with the built package, the example worker in Rust and the one in Python. `cargo xtask test` builds
// them and calls this; by hand: node host-tests/surfaces/run.mjs [FILE…]

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { PACKAGE, WORKERS } from './lib/programs.mjs'

const here = dirname(fileURLToPath(import.meta.url))
for (const needed of [PACKAGE, ...Object.values(WORKERS).flat()]) {
  if (!existsSync(needed)) throw new Error(`${needed} is not there: \`cargo xtask test\` makes it`)
}

// Programs import the package by its name, as its users do.
const link = join(here, 'node_modules/pi-sandbox-policy')
mkdirSync(dirname(link), { recursive: true })
rmSync(link, { recursive: true, force: true })
symlinkSync(PACKAGE, link, 'junction')

const named = process.argv.slice(2)
const tests = named.length > 0 ? named : readdirSync(here).filter((name) => name.endsWith('.test.mjs'))
const reporter = process.env.CI ? [] : ['--test-reporter=spec']
// For all sockets; a supervisor that is killed leaves its own behind.
const temporary = mkdtempSync(join(tmpdir(), 'surfaces-'))
try {
  const env = { ...process.env, TMPDIR: temporary }
  const { status } = spawnSync(process.execPath, ['--test', ...reporter, ...tests], { cwd: here, stdio: 'inherit', env })
  process.exitCode = status ?? 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
