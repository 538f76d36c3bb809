import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { CHECKING, config, setUpBrowser } from './browser.js'
import { serve, type Site } from './site.js'

const visit = setUpBrowser()
let withoutWasm: Site

before(async () => {
  withoutWasm = await serve((html) => html.replace(" 'wasm-unsafe-eval'", ''))
})
after(() => withoutWasm.close())

test('HTML in entries, keys and destinations is text', () =>
  visit({}, async (validator) => {
    const { page } = validator
    const html = '<img src=x onerror=alert(1)>'
    await validator.paste(JSON.stringify({ [html]: 1, network: { allowedDomains: [`${html}.example`] } }))
    await validator.sees(page.locator('#problems'), html)
    await validator.paste(config(['a.example']))
    await validator.ask(`${html}\n`)
    await validator.sees(page.locator('.asked'), html)
    await validator.sees(page.locator('.decisions .badge'), 'Denied')
    assert.equal(await page.locator('img[src]').count(), 0)
  }))

test('invisible characters of a destination are shown as escapes', () =>
  visit({}, async (validator) => {
    await validator.paste(config(['a.example']))
    await validator.ask('a\u202eelpmaxe.example\n')
    await validator.sees(validator.page.locator('.asked'), 'a\\u202eelpmaxe.example')
    await validator.sees(validator.page.locator('.decisions .badge'), 'Denied')
  }))

test('a paste of 10 MB that is no JSON, and one of 10 MB that is', () =>
  visit({}, async (validator) => {
    await validator.paste('<b>'.repeat(3_500_000))
    await validator.sees(validator.verdict, 'Not valid')
    const entries = Array.from({ length: 400_000 }, (_, index) => `host-${index}.example.com`)
    await validator.paste(JSON.stringify({ network: { allowedDomains: entries } }))
    await validator.sees(validator.page.locator('.verdict-detail'), '400,000 allowed entries')
    await validator.paste('{}')
    await validator.sees(validator.verdict, /^Valid$/)
  }))

test('special characters are shown, but not a hundred thousand in one line', () =>
  visit({}, async (validator) => {
    const shown = validator.editor.locator('.cm-specialChar')
    for (const character of ['\u200b', '\u202e']) {
      for (const [times, marks] of [
        [10, 10],
        [100_000, 0],
        [10, 10],
      ] as const) {
        await validator.paste(JSON.stringify({ network: { allowedDomains: [`a${character.repeat(times)}.example`] } }))
        await validator.sees(validator.verdict, 'Not valid')
        assert.equal(await shown.count(), marks)
      }
      await validator.paste('{}')
      await validator.sees(validator.verdict, /^Valid$/)
    }
  }))

test('deep nesting is a problem like any other', () =>
  visit({}, async (validator) => {
    for (const text of ['['.repeat(200_000), '{"a":'.repeat(50_000), `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
      await validator.paste(text)
      await validator.sees(validator.verdict, 'Not valid')
      await validator.button('Format').click()
      await validator.paste('{}')
      await validator.sees(validator.verdict, /^Valid$/)
    }
  }))

test('half of a surrogate pair is refused before it comes near the core', () =>
  visit({}, async (validator) => {
    await validator.paste('{"network": "\ud800"}')
    await validator.sees(validator.page.locator('#verdict'), 'surrogate')
    await validator.sees(validator.verdict, 'Not valid')
    await validator.paste('{}')
    await validator.sees(validator.verdict, /^Valid$/)
  }))

test('without WebAssembly the page says so, and gives no verdict', () =>
  visit({ site: withoutWasm, expected: /Content Security Policy/ }, async (validator) => {
    const { page } = validator
    await validator.sees(validator.verdict, 'No verdict')
    await validator.sees(page.locator('.verdict-detail'), 'The policy core could not be started')
    await validator.paste(config(['a.example']))
    await page.waitForTimeout(1000) // Long enough for a verdict to come, if one came.
    assert.equal(await validator.verdict.innerText(), 'No verdict')
    await validator.button('Try again').click()
    await validator.sees(validator.verdict, 'No verdict')
    await validator.button('Reload the page').click()
    await validator.sees(validator.verdict, 'No verdict')
    assert.equal(await validator.text(), config(['a.example']))
  }))

/** Workers that fail on a text with TRAP, do not answer one with HANG, and are slow with SLOW. */
function unreliableWorkers(): void {
  const counted = globalThis as { workers?: number }
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      counted.workers = (counted.workers ?? 0) + 1
    }

    override postMessage(question: { readonly text: string }): void {
      if (question.text.includes('HANG')) return
      if (question.text.includes('TRAP')) {
        setTimeout(() => this.onmessage?.(new MessageEvent('message', { data: { kind: 'failure', reason: 'unreachable' } })))
      } else if (question.text.includes('SLOW')) {
        setTimeout(() => super.postMessage(question), 3000)
      } else {
        super.postMessage(question)
      }
    }
  }
}

test('after a trap there is no verdict and no answer, and the next change is checked by a new worker', () =>
  visit({ before: unreliableWorkers }, async (validator) => {
    const { page } = validator
    await validator.ask('api.github.com')
    await validator.sees(page.locator('.decisions .badge'), 'Allowed')
    await validator.paste(config(['trap.TRAP']))
    await validator.sees(validator.verdict, 'No verdict')
    await validator.sees(page.locator('.verdict-detail'), 'failed on this input (unreachable)')
    assert.equal(await page.locator('.decisions').count(), 0)
    await validator.paste(config(['api.github.com']))
    await validator.sees(page.locator('.decisions .badge'), 'Allowed')
    assert.equal(await page.evaluate(() => (globalThis as { workers?: number }).workers), 2)
  }))

test('a worker that hangs is ended and replaced', () =>
  visit({ before: unreliableWorkers }, async (validator) => {
    const { page } = validator
    await validator.sees(validator.verdict, 'Valid')
    await page.clock.install()
    await validator.paste(config(['hang.HANG']))
    await page.clock.fastForward(1000)
    await validator.sees(validator.verdict, CHECKING)
    assert.equal(await validator.problems.count(), 0)
    await page.clock.fastForward(20_000)
    await validator.sees(page.locator('.verdict-detail'), 'did not answer in time')
    await validator.paste(config(['a.example']))
    await page.clock.fastForward(1000)
    await validator.sees(validator.verdict, /^Valid$/)
    assert.equal(await page.evaluate(() => (globalThis as { workers?: number }).workers), 2)
  }))

test('a late answer about an older text is dropped', () =>
  visit({ before: unreliableWorkers }, async (validator) => {
    await validator.paste('["SLOW"]')
    await validator.sees(validator.verdict, CHECKING)
    await validator.paste(config(['a.example']))
    await validator.sees(validator.verdict, /^Valid$/)
    await validator.sees(validator.page.locator('#problems'), 'Nothing to fix')
  }))
