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
  // Without their scripts: those would fetch what the packages have along. Not by `npm ci`, which wants an optional
  // package for Windows to be in the lock file even where no registry has it.
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: here, stdio: 'inherit' })
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
  'node 22': join(modules, 'node-22/bin/node'),
  'node 24': join(modules, 'node-24/bin/node'),
  deno: join(modules, '@deno/linux-x64-glibc/deno'),
  bun: join(modules, '@oven/bun-linux-x64/bin/bun'),
  tsc: join(modules, 'typescript/bin/tsc'),
  attw: join(modules, '@arethetypeswrong/cli/dist/index.js'),
}

const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser. */
export function chromium() {
  const found = CHROMIUM.find((path) => path !== undefined && isProgram(path))
  if (found === undefined) throw new Error('no Chromium: `apt-get install chromium`, or name one in CHROMIUM')
  return found
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
