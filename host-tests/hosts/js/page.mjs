// Answers in a page of Chromium. Lines go into the page in batches and answers come back; the page
// itself does all the rest.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { chromium } from 'playwright-core'
import { serve } from './serve.mjs'

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' }

// The least that users are told to allow.
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

/**
 * Answers the requests on stdin by `answerLine(api, line)`, both of which the module text `script`
 * leaves in scope. `folders` says which folder the page finds under which path; `/js/` is this one.
 */
export async function serveInPage(folders, script) {
  const roots = { '/js/': import.meta.dirname, ...folders }
  const html = `<!doctype html><meta charset="utf-8"><title>host</title>
<script type="module" src="/host.js"></script>`
  const module = `${script}
globalThis.answerLines = (lines) => lines.map((line) => answerLine(api, line))`
  const made = { '/': ['.html', html], '/host.js': ['.js', module] }

  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname)
    const [type, content] = made[path] ?? read(roots, path)
    if (content === undefined) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': TYPES[type], 'content-security-policy': CONTENT_SECURITY_POLICY })
    response.end(content)
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
      if (Date.now() > deadline) throw new Error('the page did not load in Chromium within 30 s')
      await new Promise((later) => setTimeout(later, 50))
    }
    await serve((lines) => page.evaluate((lines) => globalThis.answerLines(lines), lines))
  } finally {
    await browser.close()
    server.close()
    rmSync(profile, { recursive: true, force: true })
  }
}

/** The type and the content of the file at this path; nothing when there is none. */
function read(roots, path) {
  const [prefix, root] = Object.entries(roots).find(([prefix]) => path.startsWith(prefix)) ?? []
  const file = root && join(root, path.slice(prefix.length))
  return file && existsSync(file) ? [extname(file), readFileSync(file)] : []
}
