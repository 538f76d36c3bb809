// The npm package in a page of Chromium, as an ES module.

import { folder, entryFile } from './js/package.mjs'
import { serveInPage } from './js/page.mjs'

await serveInPage({ '/package/': folder }, `
import * as api from '/package/${entryFile('browser', 'import').replace(/^\.\//, '')}'
import { answerLine } from '/js/npm.mjs'
await api.init()`)
