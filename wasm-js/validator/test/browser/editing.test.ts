import assert from 'node:assert/strict'
import { test } from 'node:test'

import { config, setUpBrowser } from './browser.js'

const visit = setUpBrowser()

test('the first visit shows an example with its verdict', () =>
  visit({}, async (validator) => {
    await validator.sees(validator.verdict, /^Valid, with 1 warning/)
    await validator.sees(validator.page.locator('#problems'), 'A domain list is not a data-loss boundary')
    assert.equal(await validator.page.title(), 'pi-sandbox configuration validator')
  }))

test('neither the page nor its worker can connect to anything, not even home', () =>
  visit({ expected: /Content Security Policy|violates/ }, async (validator) => {
    await validator.sees(validator.verdict, 'Valid')
    const connects = (url: string) => fetch(url).then(() => 'connected', () => 'refused')
    const { page } = validator
    assert.equal(await page.evaluate(connects, page.url()), 'refused')
    const [worker] = page.workers()
    assert.ok(worker)
    assert.equal(await worker.evaluate(connects, page.url()), 'refused')
  }))

test('problems are underlined, listed, and jumped to', () =>
  visit({}, async (validator) => {
    const { page, editor } = validator
    await validator.paste(config(['github.com', 'https://example.com/x']))
    await validator.sees(validator.verdict, 'Not valid')
    assert.equal(await page.locator('.cm-lintRange-error').innerText(), 'https://')
    assert.equal(await page.locator('.cm-lint-marker-error').count(), 1)
    await page.keyboard.press('ControlOrMeta+Home')
    await validator.button(/is a URL/).click()
    assert.ok(await editor.evaluate((element) => element === (element.getRootNode() as ShadowRoot).activeElement))
    await page.keyboard.type('X')
    await validator.sees(editor, 'Xexample.com/x')
  }))

test('a suggestion is applied with one click, and taken back with undo', () =>
  visit({}, async (validator) => {
    const before = config(['bücher.example'])
    await validator.paste(before)
    await validator.button('Apply: write "xn--bcher-kva.example"').click()
    await validator.sees(validator.verdict, 'Valid')
    assert.equal(await validator.text(), config(['xn--bcher-kva.example']))
    await validator.button('Undo').click()
    await validator.sees(validator.verdict, 'Not valid')
    assert.equal(await validator.text(), before)
    await validator.button('Redo').click()
    await validator.sees(validator.verdict, 'Valid')
  }))

test('applying one suggestion after the other keeps the keyboard in the list', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['bücher.example', 'https://github.com/x']))
    for (let left = 2; left > 0; left -= 1) {
      await validator.until(async () => (await validator.problems.count()) === left, `${left} problems`)
      await validator.button(/^Apply: write/).first().focus()
      await page.keyboard.press('Enter')
    }
    await validator.sees(validator.verdict, 'Valid')
    assert.ok(await page.locator('#problems').evaluate((panel) => panel.contains(document.activeElement)))
  }))

test('the hover text of a problem has the suggestion as a button', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['bücher.example']))
    await page.locator('.cm-lintRange-error').hover()
    await validator.sees(page.locator('.cm-diagnostic'), 'outside ASCII')
    await page.locator('.cm-diagnosticAction').click()
    await validator.sees(validator.verdict, 'Valid')
  }))

test('a lint explains itself from the specification', () =>
  visit({}, async (validator) => {
    await validator.paste(config(['*.github.io']))
    const why = validator.page.locator('.why', { hasText: 'public-suffix-wildcard' })
    await why.locator('summary').click()
    await validator.sees(why, 'anyone can register')
  }))

test('the schema completes keys and words', () =>
  visit({}, async (validator) => {
    const { page, editor } = validator
    await validator.paste('{}')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('ho')
    await validator.sees(page.locator('.cm-completionLabel'), '"hostIPC"')
    await validator.sees(page.locator('.cm-completionInfo'), 'Unix socket')
    await page.waitForTimeout(150) // Enter that comes too soon is typing.
    await page.keyboard.press('Enter')
    await validator.sees(editor, '{"hostIPC": {}}')
    await page.keyboard.type('"mode": "a')
    await validator.sees(page.locator('.cm-completionLabel'), '"ask"')
    await page.waitForTimeout(150)
    await page.keyboard.press('Enter')
    await validator.sees(editor, '{"hostIPC": {"mode": "ask"}}')
    await validator.sees(validator.verdict, 'Valid')
  }))

test('a completion replaces what is between the quotes', () =>
  visit({}, async (validator) => {
    const { page, editor } = validator
    await validator.paste('{}')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('"')
    await validator.sees(page.locator('.cm-completionLabel'), '"network"')
    await page.keyboard.type('net')
    await page.waitForTimeout(150)
    await page.keyboard.press('Enter')
    await validator.sees(editor, /^\{"network": \{\}\}$/)
  }))

test('typing over a selection needs no inline style', () =>
  visit({}, async (validator) => {
    const { page, editor } = validator
    await editor.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('ab')
    await validator.sees(editor, /^ab$/)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('"')
    await validator.sees(editor, /^"ab"$/)
  }))

test('the schema describes what is under the pointer, and at the cursor', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste('{ "hostIPC": { "mode": "ask" } }')
    await page.locator('.cm-line').first().getByText('"mode"').hover()
    await validator.sees(page.locator('.cm-description'), 'By default "off"')
    await page.mouse.move(0, 0)
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('F1')
    await validator.sees(page.locator('.cm-description'), 'Commands that need a Unix socket')
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('.cm-description').count(), 0)
  }))

test('format changes white space alone, and undo takes it back', () =>
  visit({}, async (validator) => {
    const before = '{"network":{"deniedDomains":["*"]},"network":{"allowedDomains":["a.\\u0062"]}}'
    await validator.paste(before)
    await validator.page.keyboard.press('Shift+Alt+F')
    await validator.sees(validator.verdict, 'Valid')
    const after = await validator.text()
    assert.equal(after.replaceAll(/\s/g, ''), before)
    assert.match(after, /^ {6}"a\.\\u0062"$/m)
    await validator.button('Undo').click()
    assert.equal(await validator.text(), before)
  }))

test('what is no JSON is not formatted', () =>
  visit({}, async (validator) => {
    await validator.paste('{"network"')
    await validator.sees(validator.verdict, 'Not valid')
    await validator.button('Format').click()
    await validator.sees(validator.page.getByRole('alert'), 'Only JSON can be formatted')
    assert.equal(await validator.text(), '{"network"')
  }))

test('the policy as it is in force can be copied', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config([' GitHub.com', 'GitHub.com']))
    await validator.tab('Policy')
    await validator.sees(page.locator('#policy'), /sha256:[0-9a-f]{64}/)
    await validator.button('Copy network policy').click()
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as unknown
    assert.deepEqual(copied, { allowedDomains: ['GitHub.com'], deniedDomains: [] })
  }))
