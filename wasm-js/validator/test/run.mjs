// Runs the tests: of the parts in Node.js, and of the built page in Chromium.
//
//   VALIDATOR_OUT_DIR      where the page was built
//   CHROMIUM               the browser, if it is not on the PATH under a usual name

import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { build } from 'esbuild'

import { project } from '../build/package.mjs'
import { findChromium } from './chromium.mjs'

const out = join(project, 'node_modules/.cache/tests')
const testFiles = (folder) => readdirSync(join(project, 'test', folder)).filter((name) => name.endsWith('.test.ts'))

const chromium = findChromium()
if (chromium === undefined) {
  // The variable by which CI says what may not be left out.
  if (process.env.EXPECT_HOSTS?.split(' ').includes('chromium')) throw new Error('no Chromium: `apt-get install -y chromium`')
  console.log('no Chromium: the tests of the page are left out (`apt-get install -y chromium`, or name one in CHROMIUM)')
}

const folders = chromium === undefined ? ['unit'] : ['unit', 'browser']
rmSync(out, { recursive: true, force: true })
await build({
  absWorkingDir: project,
  entryPoints: folders.flatMap((folder) => testFiles(folder).map((name) => `test/${folder}/${name}`)),
  outbase: 'test',
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
  loader: { '.md': 'text' },
})
const { status } = spawnSync(
  process.execPath,
  [
    '--enable-source-maps',
    '--test',
    // One browser at a time.
    '--test-concurrency=1',
    ...(process.env.CI ? [] : ['--test-reporter=spec']),
    ...folders.flatMap((folder) => testFiles(folder).map((name) => join(out, folder, name.replace(/\.ts$/, '.mjs')))),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      CHROMIUM: chromium ?? '',
      VALIDATOR_OUT_DIR: process.env.VALIDATOR_OUT_DIR ?? join(project, '../../dist/validator'),
    },
  },
)
process.exitCode = status ?? 1
