// How the page starts: the verdict first, in a plain editor, and CodeMirror after it.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'

import type { Page } from 'playwright-core'

import { config, setUpBrowser, type Validator } from './browser.js'

const visit = setUpBrowser()

/** Keeps the script of the editor back until it is let go. */
function held(): { readonly editor: Promise<boolean>; readonly letGo: () => void } {
  let letGo = () => {}
  const editor = new Promise<boolean>((resolve) => (letGo = () => resolve(true)))
  return { editor, letGo }
}

const refuseShadowRoots = () => {
  Element.prototype.attachShadow = () => {
    throw new Error('not here')
  }
}

const missing = { editor: Promise.resolve(false), expected: /ERR_FAILED/ }

/** Long enough for all that the page does once it has the script of the editor. */
async function editorScriptRan(page: Page): Promise<void> {
  await page.waitForFunction(() => 'codeEditors' in globalThis)
  for (let frames = 0; frames < 3; frames += 1) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  }
}

async function type(validator: Validator, text: string): Promise<void> {
  await validator.editor.click()
  await validator.page.keyboard.press('ControlOrMeta+a')
  await validator.page.keyboard.type(text)
}

test('the verdict is there before the editor, and what is typed before it is not lost', () => {
  const { editor, letGo } = held()
  return visit({ editor }, async (validator) => {
    const { page } = validator
    await validator.sees(validator.verdict, /^Valid, with 1 warning/)
    const before = await validator.text()
    await type(validator, '{"network": 0}')
    await validator.sees(validator.verdict, 'Not valid')
    await page.keyboard.press('ArrowLeft')
    assert.equal(await validator.codeEditor.count(), 0)
    letGo()
    await validator.codeEditor.waitFor()
    assert.equal(await validator.editor.count(), 1)
    await page.keyboard.type(' ')
    assert.equal(await validator.text(), '{"network": 0 }')
    await validator.sees(validator.page.locator('.cm-lintRange-error'), '0')
    await validator.button('Undo').click()
    assert.equal(await validator.text(), '{"network": 0}')
    await validator.button('Undo').click()
    assert.equal(await validator.text(), before)
    await validator.sees(validator.verdict, /^Valid, with 1 warning/)
  })
})

test('every step before the editor can be undone, by key and by button, then and later', () => {
  const { editor, letGo } = held()
  return visit({ editor }, async (validator) => {
    const { page } = validator
    await validator.sees(validator.verdict, /^Valid, with 1 warning/)
    const first = await validator.text()
    const typed = '{"network":{"allowedDomains":["https://a.com"],"deniedDomains":[]}}'
    const fixed = '{"network":{"allowedDomains":["a.com"],"deniedDomains":[]}}'
    await type(validator, typed)
    await page.locator('#problems').getByRole('button', { name: /^Apply/ }).first().click()
    assert.equal(await validator.text(), fixed)
    // Another field's typing is not the editor's to undo.
    await page.getByRole('tab', { name: 'Destinations' }).click()
    await page.locator('#destination-lines').fill('a.com:443')
    await validator.button('Undo').click()
    assert.equal(await validator.text(), typed)
    assert.equal(await page.locator('#destination-lines').inputValue(), 'a.com:443')
    await validator.editor.click()
    await page.keyboard.press('ControlOrMeta+z')
    assert.equal(await validator.text(), first)
    await validator.editor.click()
    await page.keyboard.press('ControlOrMeta+Shift+z')
    assert.equal(await validator.text(), typed)
    await validator.button('Redo').click()
    assert.equal(await validator.text(), fixed)
    await validator.button('Format').click()
    letGo()
    await validator.codeEditor.waitFor()
    for (const earlier of [fixed, typed, first, first]) {
      await validator.button('Undo').click()
      assert.equal(await validator.text(), earlier)
    }
  })
})

test('a selection that was made backwards stays so', () => {
  const { editor, letGo } = held()
  return visit({ editor }, async (validator) => {
    const { page } = validator
    await type(validator, 'abcdef')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    letGo()
    await validator.codeEditor.waitFor()
    await editorScriptRan(page)
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.type('X')
    assert.equal(await validator.text(), 'abcX')
  })
})

test('an editor that cannot take over leaves the text field, and the page says so', () =>
  visit({ editor: Promise.resolve(true), before: refuseShadowRoots }, async (validator) => {
    await validator.sees(validator.page.getByRole('alert'), 'The editor could not be loaded')
    await type(validator, '[]')
    await validator.sees(validator.verdict, 'Not valid')
    assert.equal(await validator.codeEditor.count(), 0)
  }))

test('a verdict that stands is not asked for again when the editor comes', () => {
  const { editor, letGo } = held()
  const countQuestions = () => {
    const counted = globalThis as { questions?: number }
    globalThis.Worker = class extends Worker {
      override postMessage(question: unknown): void {
        counted.questions = (counted.questions ?? 0) + 1
        super.postMessage(question)
      }
    }
  }
  return visit({ editor, before: countQuestions }, async (validator) => {
    const { page } = validator
    await type(validator, '[]')
    await validator.sees(validator.verdict, 'Not valid')
    const asked = () => page.evaluate(() => (globalThis as { questions?: number }).questions)
    const before = await asked()
    letGo()
    await validator.sees(page.locator('.cm-lintRange-error'), '[]')
    await editorScriptRan(page)
    assert.equal(await asked(), before)
    assert.equal(await validator.verdict.innerText(), 'Not valid')
  })
})

test('nothing moves when the editor comes', () => {
  const { editor, letGo } = held()
  return visit({ editor }, async (validator) => {
    const { page } = validator
    await validator.sees(validator.verdict, /^Valid, with 1 warning/)
    const places = () =>
      page.evaluate(() =>
        ['#editor', '#verdict', '#tabs', '#problems', '.problem'].map((part) => {
          const { x, y, width, height } = document.querySelector(part)?.getBoundingClientRect() ?? new DOMRect()
          return [part, x, y, width, height]
        }),
      )
    const placesBefore = await places()
    const textBefore = await validator.editor.evaluate((area) => {
      const { x, y } = area.getBoundingClientRect()
      const { paddingLeft, paddingTop, font, lineHeight } = getComputedStyle(area)
      return [Math.round(x + parseFloat(paddingLeft)), Math.round(y + parseFloat(paddingTop)), font, lineHeight]
    })
    letGo()
    await validator.codeEditor.waitFor()
    assert.deepEqual(await places(), placesBefore)
    const textAfter = await page.locator('#editor .cm-line').first().evaluate((line) => {
      const { x, y } = line.getBoundingClientRect()
      const { paddingLeft, font, lineHeight } = getComputedStyle(line)
      return [Math.round(x + parseFloat(paddingLeft)), Math.round(y), font, lineHeight]
    })
    assert.deepEqual(textAfter, textBefore)
  })
})

test('the editor waits for the end of a character that is put together of several keys', () => {
  const { editor, letGo } = held()
  return visit({ editor }, async (validator) => {
    await validator.editor.dispatchEvent('compositionstart')
    letGo()
    await editorScriptRan(validator.page)
    assert.equal(await validator.codeEditor.count(), 0)
    await validator.editor.dispatchEvent('compositionend')
    await validator.codeEditor.waitFor()
  })
})

test('without the script of the editor the page says so, and does all else', () =>
  visit(missing, async (validator) => {
    const { page, editor } = validator
    await validator.sees(page.getByRole('alert'), 'The editor could not be loaded')
    await type(validator, config(['bücher.example', 'other.example']))
    await validator.button('Apply: write "xn--bcher-kva.example"').click()
    await validator.sees(validator.verdict, /^Valid$/)
    assert.equal(await validator.text(), config(['xn--bcher-kva.example', 'other.example']))
    await validator.ask('new.example:8443')
    await validator.button('Add new.example:8443 to allowedDomains').click()
    await validator.sees(page.locator('.decisions .badge'), 'Allowed')
    assert.equal(await validator.text(), config(['xn--bcher-kva.example', 'other.example', 'new.example:8443']))
    await validator.tab('Problems')
    await type(validator, '{"network":{"allowedDomains":["*.com"]}}')
    await validator.button(/\*\.com/).first().click()
    assert.ok(await editor.evaluate((area) => area === document.activeElement))
    await validator.button('Format').click()
    assert.equal(JSON.stringify(JSON.parse(await validator.text())), '{"network":{"allowedDomains":["*.com"]}}')
    assert.match(await validator.text(), /^ {6}"\*\.com"$/m)
    await type(validator, 'x')
    await validator.button('Undo').click()
    await validator.sees(validator.verdict, 'Not valid')
    assert.match(await editor.inputValue(), /\*\.com/)
    await validator.tab('Compare')
    await validator.button('Take the editor’s text').click()
    assert.match(await validator.older.inputValue(), /\*\.com/)
  }))

test('of a link nothing but its own verdict is ever shown', () => {
  const collectTitles = () => {
    const titles = new Set<string>()
    Object.assign(globalThis, { titles })
    new MutationObserver(() => {
      titles.add(document.querySelector('.verdict-title')?.textContent ?? '')
    }).observe(document, { subtree: true, childList: true, characterData: true })
  }
  const shared = JSON.stringify({ config: config([]), destinations: '' })
  const fragment = `#v1=${deflateRawSync(shared).toString('base64url')}`
  return visit({ fragment, before: collectTitles }, async (validator) => {
    await validator.sees(validator.verdict, /^Valid$/)
    const titles = await validator.page.evaluate(() => [...(globalThis as unknown as { titles: Set<string> }).titles])
    assert.deepEqual(titles.filter((title) => !['', 'Loading…', 'Checking…'].includes(title)), ['Valid'])
  })
})

test('the page is four files, and asks for each once and for nothing else', () =>
  visit({}, async ({ page, codeEditor, verdict }) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.reload()
    await verdict.waitFor()
    await codeEditor.waitFor()
    const names = asked.filter((url) => url.startsWith('http')).map((url) => new URL(url).pathname.slice(1) || 'index.html')
    assert.deepEqual(names.toSorted(), readdirSync(process.env['VALIDATOR_OUT_DIR'] ?? '').toSorted())
    assert.equal(names.length, 4)
    // The worker is the one other script, made from a text on the page.
    const others = asked.filter((url) => !url.startsWith('http') && !url.startsWith('data:'))
    assert.equal(others.filter((url) => !url.startsWith('blob:')).length, 0)
    assert.ok(others.length <= 1)
  }))
