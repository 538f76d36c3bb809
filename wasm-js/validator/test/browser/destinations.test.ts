import assert from 'node:assert/strict'
import { test } from 'node:test'

import { config, setUpBrowser } from './browser.js'

const visit = setUpBrowser()

test('many destinations at once, URLs and what is unclear among them', () =>
  visit({}, async (validator) => {
    await validator.paste(config(['*.github.com:443', 'pypi.org'], ['gist.github.com']))
    await validator.ask('api.github.com:443\ngist.github.com\n\nexample.org\nhttps://user@pypi.org/simple/\n127.1\nx.example:70000\n')
    const rows = validator.page.locator('.decisions > li')
    await validator.sees(rows, /Denied\s+127\.1/)
    const badges = (await rows.locator('.badge').allInnerTexts()).map((text) => text.trim())
    assert.deepEqual(badges, ['Allowed', 'Denied', 'Review', 'Allowed', 'Denied', 'Unclear'])
    await validator.sees(validator.page.locator('.summary'), '2 allowed · 2 denied · 1 to review · 1 not understood')
    await validator.button(/https:\/\/user@pypi.org/).click()
    await validator.sees(validator.page.locator('.explanation'), 'user name left out; /simple/ left out; port 443 of https')
  }))

test('the deciding entry is marked in the editor, and its place in the text is right though entries repeat', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['a.example', 'a.example', 'b.example'], ['c.example']))
    await validator.ask('b.example:443\nc.example')
    const mark = page.locator('.cm-rule')
    await validator.sees(mark, '"b.example"')
    assert.match((await mark.getAttribute('class')) ?? '', /cm-rule-allow/)
    await validator.button(/c\.example/).last().click()
    await validator.sees(mark, '"c.example"')
    assert.match((await mark.getAttribute('class')) ?? '', /cm-rule-deny/)
    await validator.tab('Problems')
    await validator.until(async () => (await mark.count()) === 0, 'the mark goes with its tab')
  }))

test('the steps of reading a host are shown', () =>
  visit({}, async (validator) => {
    await validator.paste(config(['example.com']))
    await validator.ask('[::FFFF:7F00:1]:80')
    const explanation = validator.page.locator('.explanation')
    await validator.sees(explanation, '[::FFFF:7F00:1] as asked')
    await validator.sees(explanation, '127.0.0.1 an IPv4 address inside an IPv6 one')
  }))

test('an entry that nearly matches is marked, and what would match is added with one click', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['*.example.com', 'other.example']))
    await validator.ask('example.com:443')
    await validator.sees(page.locator('.cm-rule-near'), '"*.example.com"')
    const offers = await page.getByRole('button', { name: /^Add / }).allTextContents()
    assert.equal(offers.length, 2)
    assert.match(await page.locator('.explanation').innerText(), /example\.com:443 in allowedDomains[^]*example\.com in allowedDomains/)
    await validator.button('Add example.com to allowedDomains').click()
    await validator.sees(page.locator('.decisions .badge'), 'Allowed')
    assert.equal(await validator.text(), config(['*.example.com', 'example.com', 'other.example']))
  }))

test('every review is offered the entry for this destination alone', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['other.example']))
    await validator.ask('# what the build needs\nnew.example:8443\na b')
    const rows = page.locator('.decisions > li')
    await validator.sees(rows.last(), 'a host has no space in it')
    assert.equal(await rows.count(), 2)
    assert.deepEqual(await page.locator('button.decision').evaluateAll((all) => all.map(({ ariaExpanded }) => ariaExpanded)), ['true', 'false'])
    await validator.button('Add new.example:8443 to allowedDomains').click()
    await validator.sees(rows.first(), 'Allowed')
    assert.equal(await validator.text(), config(['other.example', 'new.example:8443']))
  }))

test('an entry that lets data out says so where it allows something', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['example.com', '*.github.io']))
    await validator.ask('anyone.github.io')
    await validator.sees(page.locator('.explanation'), 'not a data-loss boundary')
    await validator.ask('example.com')
    await validator.sees(page.locator('.explanation'), 'example.com at port 443 is allowed')
    assert.equal(await page.locator('.explanation .callout').count(), 0)
  }))

test('without a valid configuration there is no answer', () =>
  visit({}, async (validator) => {
    await validator.ask('api.github.com')
    await validator.sees(validator.page.locator('.decisions .badge'), 'Allowed')
    await validator.paste('{')
    await validator.sees(validator.page.locator('#decisions'), 'no answer while the configuration is not valid')
    assert.equal(await validator.page.locator('.decisions').count(), 0)
    assert.equal(await validator.page.locator('.cm-rule').count(), 0)
  }))

test('a comparison shows what a change does, with a destination for each difference', () =>
  visit({}, async (validator) => {
    const { page, older } = validator
    await validator.paste(config(['*.example.com', 'pypi.org:443']))
    await validator.tab('Compare')
    await validator.sees(page.locator('#comparison'), 'No old file yet')
    await validator.paste(config(['pypi.org'], ['cdn.example.com']), older)
    const comparison = page.locator('#comparison')
    await validator.sees(comparison, 'Wider and narrower')
    const text = await comparison.innerText()
    assert.match(text, /Newly allowed[^]*cdn\.example\.com:443\s+old\s+Denied[^]*new\s+Allowed/)
    assert.match(text, /Newly up for review[^]*pypi\.org:80\s+old\s+Allowed by pypi\.org[^]*new\s+Review/)
    await validator.button('cdn.example.com:443').click()
    await validator.sees(page.locator('.explanation'), 'cdn.example.com at port 443 is allowed by *.example.com')
  }))

test('the text of now is kept as the old one, and changed against it', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['a.example']))
    await validator.tab('Compare')
    await validator.button('Take the editor’s text').click()
    await validator.sees(page.locator('.relation'), 'No difference')
    await validator.paste(config(['a.example', 'b.example']))
    await validator.sees(page.locator('.relation'), 'Wider')
    await validator.button('Swap old and new').click()
    await validator.sees(page.locator('.relation'), 'Narrower')
    await validator.paste('[]', validator.older)
    await validator.sees(page.locator('#comparison'), 'The old file is no configuration')
  }))
