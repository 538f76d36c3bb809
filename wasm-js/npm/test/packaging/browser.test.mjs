import assert from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test as nodeTest } from 'node:test'

import { installed, temporary } from '../package.mjs'
import { openBrowser } from './browser.mjs'
import { bundles } from './bundles.mjs'
import { serve } from './server.mjs'
import { leftOut } from './tools.mjs'
import { EXPECTED, NAMES, program } from './usage.mjs'

const site = join(temporary, 'site')
const PLAIN = '/package/dist/browser.js'
const skip = leftOut('chromium')
let browser, server

const test = (name, run) => nodeTest(name, { skip, timeout: 120_000 }, run)

before(async () => {
  if (skip) return
  mkdirSync(site, { recursive: true })
  cpSync(installed, join(site, 'package'), { recursive: true })
  browser = await openBrowser()
  server = await serve(site)
})

after(async () => {
  await browser?.close()
  server?.close()
})

const page = (name, script, head = '') => {
  writeFileSync(join(site, `${name}.js`), script)
  writeFileSync(join(site, `${name}.html`), `<!doctype html><meta charset="utf-8">${head}<script type="module" src="/${name}.js"></script>`)
  return `${server.address}/${name}.html`
}

const answer = program('globalThis.answer = String')

test('a plain module script', async () => {
  const text = `import { init } from '${PLAIN}'\nimport ${NAMES} from '${PLAIN}'\nawait init()\n${answer}`
  assert.equal(await browser.answerOf(page('plain', text)), EXPECTED)
})

test('the module by another URL, by its bytes, and compiled', async () => {
  for (const [name, source] of Object.entries({
    url: "'/package/dist/policy.wasm'",
    object: "new URL('/package/dist/policy.wasm', location.href)",
    response: "fetch('/package/dist/policy.wasm')",
    bytes: "await (await fetch('/package/dist/policy.wasm')).arrayBuffer()",
    view: "new Uint8Array(await (await fetch('/package/dist/policy.wasm')).arrayBuffer())",
    module: "await WebAssembly.compile(await (await fetch('/package/dist/policy.wasm')).arrayBuffer())",
  })) {
    const text = `import { init } from '${PLAIN}'\nimport ${NAMES} from '${PLAIN}'\nawait init(${source})\n${answer}`
    assert.equal(await browser.answerOf(page(`source-${name}`, text)), EXPECTED, name)
  }
})

test('before init there is a clear error, and a failed init can be tried again', async () => {
  const text = `import { init, parseConfig } from '${PLAIN}'
const told = []
try { parseConfig('{}') } catch (error) { told.push(error.message) }
try { await init('/nowhere.wasm') } catch (error) { told.push(error.message.replace(/http.*?wasm/, 'URL')) }
await init()
told.push(parseConfig('{}').hostIPC.mode)
globalThis.answer = JSON.stringify(told)`
  assert.deepEqual(JSON.parse(await browser.answerOf(page('uninitialised', text))), [
    'pi-sandbox-policy is not loaded yet: await init() first',
    'cannot load URL: 404 Not Found',
    'off',
  ])
})

test('/inline needs no init', async () => {
  const text = `import ${NAMES} from '/package/dist/inline.js'\n${answer}`
  assert.equal(await browser.answerOf(page('inline', text)), EXPECTED)
})

test('a worker', async () => {
  writeFileSync(
    join(site, 'worker-inner.js'),
    `import { init } from '${PLAIN}'\nimport ${NAMES} from '${PLAIN}'\nawait init()\n${program('postMessage')}`,
  )
  const text = `const worker = new Worker('/worker-inner.js', { type: 'module' })
worker.onmessage = ({ data }) => { globalThis.answer = data }`
  assert.equal(await browser.answerOf(page('worker', text)), EXPECTED)
})

for (const [name, make] of Object.entries(bundles.browser)) {
  test(`a bundle by ${name}`, async () => {
    const folder = join(site, 'bundles', name.replaceAll(/\W+/g, '-'))
    await make(folder)
    const path = folder.slice(site.length)
    const file = join(folder, 'index.html')
    writeFileSync(file, `<!doctype html><meta charset="utf-8"><script type="module" src="${path}/main.js"></script>`)
    assert.equal(await browser.answerOf(`${server.address}${path}/index.html`), EXPECTED)
  })
}
