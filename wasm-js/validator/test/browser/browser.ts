// The page in Chromium, and what tests do with it.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'

import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'

import { serve, type Site } from './site.js'

export interface Visit {
  readonly site?: Site
  /** Behind the address of the page. */
  readonly fragment?: string
  /** Runs in the page before its own scripts. */
  readonly before?: () => void
  /** Messages on the console that are due. */
  readonly expected?: RegExp
  /** Keeps the script of the editor back until then; false: it never comes. Otherwise the test begins with it there. */
  readonly editor?: Promise<boolean>
}

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts the browser for the tests of a file; gives the way to visit the page. */
export function setUpBrowser(): (visit: Visit, use: (validator: Validator) => Promise<void>) => Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'validator-chromium-'))
  let site: Site
  let context: BrowserContext
  before(async () => {
    site = await serve()
    context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env['CHROMIUM'] ?? '',
      headless: true,
      args: ARGUMENTS,
      permissions: ['clipboard-read', 'clipboard-write'],
      viewport: { width: 1280, height: 800 },
      acceptDownloads: true,
    })
  })
  after(async () => {
    await context?.close()
    site?.close()
    rmSync(profile, { recursive: true, force: true })
  })
  return async (visit, use) => {
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    const address = (visit.site ?? site).address
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(address) && !url.startsWith(`blob:${address}`) && !url.startsWith('data:')) problems.push(url)
    })
    try {
      if (visit.before !== undefined) await page.addInitScript(visit.before)
      if (visit.editor !== undefined) {
        await page.route(/\/editor-[^/]*\.js$/, async (route) => ((await visit.editor) ? route.continue() : route.abort()))
      }
      await page.goto(address + (visit.fragment ?? ''), { waitUntil: 'domcontentloaded' })
      const validator = new Validator(page)
      if (visit.editor === undefined) await validator.codeEditor.waitFor()
      await use(validator)
      assert.deepEqual(problems.filter((problem) => !visit.expected?.test(problem)), [])
    } finally {
      await page.close()
    }
  }
}

export const CHECKING = 'Checking…'

/** The page, in the words of its users. */
export class Validator {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  get editor(): Locator {
    return this.page.getByRole('textbox', { name: 'Configuration, in JSON', exact: true })
  }

  /** The editor with all it can do, which takes the place of a plain one. */
  get codeEditor(): Locator {
    return this.page.locator('#editor .cm-content')
  }

  get older(): Locator {
    return this.page.getByRole('textbox', { name: 'Old configuration, in JSON' })
  }

  get verdict(): Locator {
    return this.page.locator('.verdict-title')
  }

  get problems(): Locator {
    return this.page.locator('.problem')
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
  }

  tab(name: string): Promise<void> {
    return this.page.getByRole('tab', { name }).click()
  }

  async paste(text: string, into = this.editor): Promise<void> {
    await into.click()
    await this.page.keyboard.press('ControlOrMeta+a')
    await into.evaluate((element, pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', pasted)
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  }

  /** The text of the editor, as it would be saved. */
  async text(): Promise<string> {
    const [download] = await Promise.all([this.page.waitForEvent('download'), this.button('Save').click()])
    const chunks = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  }

  async open(file: { readonly name: string; readonly bytes: string | Uint8Array }, button = 'Open…'): Promise<void> {
    const [chooser] = await Promise.all([this.page.waitForEvent('filechooser'), this.button(button).click()])
    await chooser.setFiles({ name: file.name, mimeType: 'application/json', buffer: Buffer.from(file.bytes) })
  }

  async startFrom(example: string): Promise<void> {
    await this.button('Examples…').click()
    await this.button(example).click()
  }

  async ask(destinations: string): Promise<void> {
    await this.tab('Destinations')
    await this.page.getByLabel('Where may a command connect?').fill(destinations)
  }

  /** Until it holds, or a generous time is over. */
  async until(condition: () => Promise<boolean>, what: string, seconds = 20): Promise<void> {
    for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
      if (await condition()) return
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    assert.fail(`${what}; the page says: ${await this.page.locator('#results').innerText()}`)
  }

  async sees(locator: Locator, text: string | RegExp): Promise<void> {
    const matches = (found: string) => (typeof text === 'string' ? found.includes(text) : text.test(found))
    // What stands there while another answer is due does not count.
    const due = this.page.locator('#verdict[aria-busy=true]')
    await this.until(
      async () => (text === CHECKING || (await due.count()) === 0) && (await locator.allInnerTexts()).some(matches),
      `${String(locator)} never says ${String(text)}`,
    )
  }
}

/** A configuration with these lists. */
export function config(allowedDomains: readonly string[], deniedDomains: readonly string[] = []): string {
  return `${JSON.stringify({ network: { allowedDomains, deniedDomains } }, null, 2)}\n`
}
