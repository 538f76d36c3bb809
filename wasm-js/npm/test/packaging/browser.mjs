import { join } from 'node:path'

import { temporary } from '../package.mjs'
import { programs, toolRequire } from './tools.mjs'

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

/** Starts the browser; `answerOf` gives what the page at an address leaves in `globalThis.answer`. */
export async function openBrowser() {
  const { chromium } = toolRequire('playwright-core')
  const context = await chromium.launchPersistentContext(join(temporary, `chromium-${process.pid}`), {
    executablePath: programs.chromium,
    headless: true,
    args: ARGUMENTS,
  })
  return { answerOf: (address) => answerOf(context, address), close: () => context.close() }
}

async function answerOf(context, address) {
  const page = await context.newPage()
  const problems = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  try {
    await page.goto(address)
    for (let waited = 0; waited < 20_000; waited += 50) {
      const answer = await page.evaluate('globalThis.answer')
      if (answer !== undefined) return answer
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`no answer from ${address}: ${problems.join('\n')}`)
  } finally {
    await page.close()
  }
}
