// The tools of these tests, from `package.json` beside this file.

import { execFileSync } from 'node:child_process'
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const modules = join(here, 'node_modules')

/** Installs them, unless this very lock file is installed. */
export function installTools() {
  const lock = readFileSync(join(here, 'package-lock.json'), 'utf8')
  const mark = join(modules, '.installed-lock.json')
  if (read(mark) === lock) return
  console.log('installing the tools of the packaging tests (about 700 MB) …')
  // Without their scripts: those would fetch what the packages have along.
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: here, stdio: 'inherit' })
  writeFileSync(mark, lock)
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** `require` for these tools. */
export const toolRequire = createRequire(join(here, 'tools.mjs'))

/** Programs. Those for Linux on x64 are looked for where their packages put them. */
export const programs = {
  node: process.execPath,
  'node-22': join(modules, 'node-22/bin/node'),
  'node-24': join(modules, 'node-24/bin/node'),
  deno: join(modules, '@deno/linux-x64-glibc/deno'),
  bun: join(modules, '@oven/bun-linux-x64/bin/bun'),
  chromium: [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(isProgram),
}

/** Scripts for Node, without which there is no test. */
export const scripts = {
  tsc: join(modules, 'typescript/bin/tsc'),
  attw: join(modules, '@arethetypeswrong/cli/dist/index.js'),
}

/** Why the tests of a program are left out; false when it is there. None that EXPECT_RUNTIMES names may be left out. */
export function leftOut(name) {
  if (isProgram(programs[name])) return false
  const reason = `${name} is not there: ${ADVICE[name] ?? 'its npm package has nothing for this machine, or was not installed'}`
  if (expected.includes(name)) throw new Error(`${reason}, but EXPECT_RUNTIMES names it`)
  return reason
}

const ADVICE = { chromium: '`apt-get install chromium`, or name one in CHROMIUM' }

const expected = (process.env.EXPECT_RUNTIMES ?? '').split(' ').filter((name) => name !== '')
const unknown = expected.filter((name) => !(name in programs))
if (unknown.length > 0) throw new Error(`EXPECT_RUNTIMES names ${unknown}, but there are ${Object.keys(programs)}`)

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
