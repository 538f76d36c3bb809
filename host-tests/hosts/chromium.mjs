// The npm package in a page of Chromium, as an ES module. Lines go into the page in batches and
// answers come back; the page itself does all the rest.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { chromium } from 'playwright-core'
import { folder, entryFile } from './js/package.mjs'
import { serve } from './js/serve.mjs'

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' }
const ROOTS = { '/package/': folder, '/js/': join(import.meta.dirname, 'js') }

const PAGE = `<!doctype html><meta charset="utf-8"><title>host</title>
<script type="module">
  import * as api from '/package/${entryFile('browser', 'import').replace(/^\.\//, '')}'
  import { answerLine } from '/js/npm.mjs'
  await api.init()
  globalThis.answerLines = (lines) => lines.map((line) => answerLine(api, line))
</script>`

const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, 'http://localhost').pathname)
  const [prefix, root] = Object.entries(ROOTS).find(([prefix]) => path.startsWith(prefix)) ?? []
  const file = root && join(root, path.slice(prefix.length))
  if (path !== '/' && !(file && existsSync(file))) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': TYPES[file ? extname(file) : '.html'] })
  response.end(file ? readFileSync(file) : PAGE)
}).listen(0, '127.0.0.1')
await new Promise((listening) => server.once('listening', listening))

const profile = mkdtempSync(join(tmpdir(), 'policy-chromium-'))
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  args: [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
  ],
})
try {
  const page = await browser.newPage()
  page.on('pageerror', (error) => console.error(`chromium: ${error.message}`))
  await page.goto(`http://127.0.0.1:${server.address().port}/`)
  const deadline = Date.now() + 30_000
  while (!(await page.evaluate('typeof answerLines === "function"'))) {
    if (Date.now() > deadline) throw new Error('the package did not load in Chromium within 30 s')
    await new Promise((later) => setTimeout(later, 50))
  }
  await serve((lines) => page.evaluate((lines) => globalThis.answerLines(lines), lines))
} finally {
  await browser.close()
  server.close()
  rmSync(profile, { recursive: true, force: true })
}
