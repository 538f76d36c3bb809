import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'

import { config, setUpBrowser, type Validator } from './browser.js'

const visit = setUpBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

async function violations({ page }: Validator): Promise<readonly string[]> {
  const results = await page.evaluate(
    () => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  )
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

const LOOKS = {
  light: { colorScheme: 'light', width: 1280 },
  dark: { colorScheme: 'dark', width: 1280 },
  'narrow and light': { colorScheme: 'light', width: 360 },
  'narrow and dark': { colorScheme: 'dark', width: 360 },
} as const

const SCENES = [
  ['A wildcard, and what it lets out', ['Problems', 'Destinations', 'Compare', 'Policy']],
  ['A file with mistakes', ['Problems', 'Destinations']],
  ['A change to review', ['Compare']],
] as const

for (const [name, { colorScheme, width }] of Object.entries(LOOKS)) {
  test(`no accessibility violation: ${name}`, () =>
    visit({}, async (validator) => {
      const { page } = validator
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 740 })
      await page.evaluate(axe)
      for (const [example, tabs] of SCENES) {
        await validator.startFrom(example)
        await validator.sees(validator.verdict, /alid/)
        for (const tab of tabs) {
          await validator.tab(tab)
          await page.waitForTimeout(100)
          assert.deepEqual(await violations(validator), [], `${example}, ${tab}`)
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          assert.ok(overflow <= 0, `${tab} is ${overflow} pixels too wide`)
        }
      }
      await validator.button('Examples…').click()
      assert.deepEqual(await violations(validator), [])
      await page.keyboard.press('Escape')
      await validator.button('Share…').click()
      await validator.sees(page.getByRole('dialog'), 'This link holds')
      assert.deepEqual(await violations(validator), [])
    }))
}

for (const [name, { colorScheme, width }] of Object.entries(LOOKS)) {
  test(`no accessibility violation before the editor is there: ${name}`, () =>
    visit({ editor: new Promise(() => {}) }, async (validator) => {
      const { page } = validator
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 740 })
      await validator.sees(validator.verdict, 'Valid')
      await page.evaluate(axe)
      for (const tab of ['Problems', 'Compare']) {
        await validator.tab(tab)
        await page.waitForTimeout(100)
        assert.deepEqual(await violations(validator), [], tab)
      }
      assert.equal(await validator.codeEditor.count(), 0)
    }))
}

test('without a verdict there is no accessibility violation either', () =>
  visit(
    {
      before: () => {
        Object.assign(globalThis, { Worker: undefined })
      },
    },
    async (validator) => {
      await validator.sees(validator.verdict, 'No verdict')
      await validator.page.evaluate(axe)
      assert.deepEqual(await violations(validator), [])
    },
  ))

test('everything is reached with the keyboard, and nothing holds it', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await validator.paste(config(['*.github.com']))
    await validator.sees(validator.verdict, 'Valid')
    await page.evaluate(() => {
      ;(document.activeElement as HTMLElement).blur()
      document.body.tabIndex = -1
      document.body.focus()
    })
    const seen: string[] = []
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab')
      const name = await page.evaluate(() => {
        const focused = document.activeElement
        return focused === null || focused === document.body ? '' : `${focused.tagName} ${focused.id} ${focused.textContent}`
      })
      if (name === '' || name === seen[0]) break
      seen.push(name)
    }
    for (const part of ['Skip to the results', 'examples', 'open', 'save', 'share', 'undo', 'format', 'DIV editor', 'tab-problems', 'Apply', 'Why?']) {
      assert.ok(
        seen.some((name) => name.includes(part)),
        `${part} is not among ${seen.join(', ')}`,
      )
    }
    assert.equal(new Set(seen.filter((name) => name.includes('DIV editor'))).size, 1)
  }))

test('the tabs follow the arrow keys', () =>
  visit({}, async (validator) => {
    const { page } = validator
    await page.getByRole('tab', { name: 'Problems' }).focus()
    for (const [key, selected] of [
      ['ArrowRight', 'Destinations'],
      ['End', 'Policy'],
      ['ArrowRight', /^Problems/],
      ['ArrowLeft', 'Policy'],
      ['Home', /^Problems/],
    ] as const) {
      await page.keyboard.press(key)
      assert.ok(await page.getByRole('tab', { name: selected, selected: true }).evaluate((tab) => tab === document.activeElement))
      await validator.sees(page.getByRole('tabpanel', { name: selected }), /./)
    }
  }))
