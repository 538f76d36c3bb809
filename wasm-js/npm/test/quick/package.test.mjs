import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { installed } from '../package.mjs'

const repository = join(dirname(fileURLToPath(import.meta.url)), '../../../..')
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
const files = readdirSync(installed, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
const text = (name) => readFileSync(join(installed, name), 'utf8')

test('the version is that of the workspace', () => {
  const [, version] = readFileSync(join(repository, 'Cargo.toml'), 'utf8').match(/\[workspace\.package\]\nversion = "(.*)"/)
  assert.equal(manifest.version, version)
})

test('nothing runs on installation and nothing else is installed', () => {
  for (const name of ['scripts', 'dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies', 'bundleDependencies']) {
    assert.equal(manifest[name], undefined, name)
  }
  assert.equal(manifest.license, 'Apache-2.0')
  assert.ok(files.includes(join(installed, 'LICENSE')) && files.includes(join(installed, 'README.md')))
})

test('every file that the manifest names is there', () => {
  const named = []
  const collect = (value) => (typeof value === 'string' ? named.push(value) : Object.values(value).forEach(collect))
  collect([manifest.exports, manifest.bin, manifest.main, manifest.module, manifest.types])
  for (const name of named) assert.ok(files.includes(join(installed, name)), name)
  assert.ok(text(manifest.bin['pi-sandbox-policy']).startsWith('#!/usr/bin/env node\n'))
})

test('there is one module, and the same bytes are inlined', () => {
  assert.deepEqual(files.filter((name) => name.endsWith('.wasm')), [join(installed, 'dist/policy.wasm')])
  const base64 = readFileSync(join(installed, 'dist/policy.wasm')).toString('base64')
  for (const name of ['dist/cjs/shared.js', 'dist/inline.js']) assert.ok(text(name).includes(`"${base64}"`), name)
  for (const name of ['dist/browser.js', 'dist/import.js', 'dist/index.js', 'dist/node.js', 'dist/cjs/index.js', 'dist/cjs/compat.js', 'dist/cjs/node.js', 'dist/cjs/cli.js']) {
    assert.ok(!text(name).includes(base64.slice(0, 100)), name)
  }
})

test('the module imports helpers of its own glue alone', () => {
  const module = new WebAssembly.Module(readFileSync(join(installed, 'dist/policy.wasm')))
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    assert.equal(from, './policy_bg.js')
    assert.match(name, /^__wb/)
  }
})

test('no code is made from text, and what is for browsers uses nothing of Node', () => {
  for (const name of files.filter((name) => name.endsWith('.js'))) {
    assert.doesNotMatch(readFileSync(name, 'utf8'), /\beval\(|new Function\(/, name)
  }
  for (const name of ['dist/browser.js', 'dist/inline.js', 'dist/cjs/index.js', 'dist/cjs/shared.js']) {
    assert.doesNotMatch(text(name), /["']node:|require\("(?!\.\/)|process\./, name)
  }
})

test('bundlers can find the module by the one expression they look for', () => {
  assert.equal(text('dist/browser.js').match(/new URL\("\.\/policy\.wasm", import\.meta\.url\)/g)?.length, 1)
  assert.ok(!text('dist/browser.js').includes('policy_bg.wasm'))
})

test('the declarations need no library and refer to nothing outside', () => {
  for (const name of files.filter((name) => name.endsWith('.d.ts'))) {
    assert.doesNotMatch(readFileSync(name, 'utf8'), /^\/\/\/|from ['"][^.]|import\(['"][^.]/m, name)
  }
})
