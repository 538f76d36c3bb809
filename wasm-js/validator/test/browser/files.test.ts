import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { deflateRawSync } from 'node:zlib'

import { config, setUpBrowser, type Validator } from './browser.js'

const visit = setUpBrowser()

const drop = (validator: Validator, target: string, name: string, text: string) =>
  validator.page.locator(target).evaluate(
    (element, [fileName, content]) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([content ?? ''], fileName ?? ''))
      const inside = element.shadowRoot?.querySelector('.cm-content') ?? element
      for (const type of ['dragenter', 'dragover', 'drop']) {
        inside.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, composed: true }))
      }
    },
    [name, text],
  )

test('a file is opened, shown under its name, and saved with its own line ends', () =>
  visit({}, async (validator) => {
    const text = config(['a.example']).replaceAll('\n', '\r\n')
    await validator.open({ name: 'team.json', bytes: text })
    await validator.sees(validator.page.locator('#file-name'), 'team.json')
    await validator.sees(validator.verdict, 'Valid')
    assert.equal(await validator.text(), text)
    await validator.button('Undo').click()
    await validator.sees(validator.editor, '*.github.com')
  }))

test('a file that is not UTF-8 is not opened, and what stood there stays', () =>
  visit({}, async (validator) => {
    const alert = validator.page.getByRole('alert')
    await validator.paste(config(['a.example']))
    await validator.open({ name: 'latin1.json', bytes: Buffer.from('{"b\xfccher": 1}', 'latin1') })
    await validator.sees(alert, '“latin1.json” was not opened: it is not UTF-8: the first wrong byte is number 3')
    await validator.open({ name: 'wide.json', bytes: Buffer.from('\ufeff{}', 'utf16le') })
    await validator.sees(alert, 'it is UTF-16: save it as UTF-8')
    assert.equal(await validator.text(), config(['a.example']))
    await validator.button('Dismiss').click()
    assert.equal(await alert.innerText(), '')
  }))

test('a dropped file is opened, over the old text as the old one', () =>
  visit({}, async (validator) => {
    await drop(validator, '#editor', 'dropped.json', config(['dropped.example']))
    await validator.sees(validator.page.locator('#file-name'), 'dropped.json')
    assert.equal(await validator.text(), config(['dropped.example']))
    await validator.tab('Compare')
    await drop(validator, '#older', 'older.json', config(['older.example']))
    await validator.sees(validator.older, 'older.example')
    assert.equal(await validator.text(), config(['dropped.example']))
    assert.ok(await validator.page.locator('#drop').isHidden())
  }))

test('a link carries everything, and only behind the #', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['shared.example', '*.ü.example']))
    await validator.ask('shared.example:8443')
    await validator.tab('Compare')
    await validator.paste(config(['older.example']), validator.older)
    await validator.button('Share…').click()
    await validator.button('Copy link').click()
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()))
    assert.equal(link.origin + link.pathname, page.url())
    assert.equal(link.search, '')
    await visit({ fragment: link.hash }, async (opened) => {
      await opened.sees(opened.verdict, 'Not valid')
      assert.equal(await opened.text(), config(['shared.example', '*.ü.example']))
      await opened.tab('Compare')
      await opened.sees(opened.older, 'older.example')
      await opened.tab('Destinations')
      assert.equal(await opened.page.getByLabel('Where may a command connect?').inputValue(), 'shared.example:8443')
      assert.equal(new URL(opened.page.url()).hash, '')
    })
  }))

test('a page that was opened from a file shares the end of the address only, and says what it needs', () => {
  const site = { address: `${pathToFileURL(process.env['VALIDATOR_OUT_DIR'] ?? '').href}/`, close: () => undefined }
  // The address of the worker, whose origin has no name.
  return visit({ site, fragment: 'index.html', expected: /^blob:null\// }, async (validator) => {
    await validator.paste(config(['shared.example']))
    await validator.sees(validator.verdict, 'Valid')
    await validator.button('Share…').click()
    const dialog = validator.page.getByRole('dialog')
    await validator.sees(dialog, 'needs a copy of the page')
    assert.match(await dialog.getByLabel('Link').inputValue(), /^#v1=/)
  })
})

test('a damaged link and one that unpacks without end are refused, and the page goes on', async () => {
  const bomb = `#v1=${deflateRawSync(Buffer.alloc(20 * 1024 * 1024)).toString('base64url')}`
  for (const [fragment, answer] of [
    ['#v1=abc', 'the link is damaged'],
    ['#v1=', 'the link is damaged'],
    [`#v1=${Buffer.from(deflateRawSync('{"config":1}')).toString('base64url')}`, 'the link is damaged'],
    [bomb, 'the link unpacks to more than 1,024 KiB'],
    [`#v1=${'A'.repeat(40_000)}`, 'the link is longer than any'],
  ] as const) {
    await visit({ fragment }, async (validator) => {
      await validator.sees(validator.page.getByRole('alert'), answer)
      await validator.sees(validator.verdict, 'Valid')
    })
  }
})

test('what is too large for a link is said, with the limit', () =>
  visit({}, async (validator) => {
    const names = Array.from({ length: 5000 }, (_, index) => `${(index * 7919 * 104729).toString(36)}.example`)
    await validator.paste(config(names))
    await validator.button('Share…').click()
    await validator.sees(validator.page.getByRole('dialog'), /too large for a link: [\d,]+ characters, of 32,000 at most/)
  }))

test('an example takes the place of the text, and undo brings it back', () =>
  visit({}, async (validator) => {
    await validator.paste(config(['mine.example']))
    await validator.startFrom('Nothing is allowed')
    await validator.sees(validator.page.locator('.decisions'), 'Denied')
    await validator.button('Undo').click()
    assert.equal(await validator.text(), config(['mine.example']))
  }))

test('what is no draft of this page is ignored', () =>
  visit({ before: () => sessionStorage.setItem('pi-sandbox-validator', '{"config": 1}') }, async (validator) => {
    await validator.sees(validator.verdict, 'Valid')
  }))

test('a reload of the tab keeps the texts', () =>
  visit({}, async (validator) => {
    await validator.paste(config(['kept.example']))
    await validator.page.reload()
    await validator.sees(validator.verdict, 'Valid')
    assert.equal(await validator.text(), config(['kept.example']))
  }))
