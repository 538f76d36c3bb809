// The component, transpiled by jco, in a page of Chromium.

import { join } from 'node:path'
import { serveInPage } from './js/page.mjs'

const project = join(import.meta.dirname, '../../wasm-component/js')
// As the documentation has it: these two folders, as they are.
const folders = Object.fromEntries(['src', 'generated'].map((name) => [`/component/${name}/`, join(project, name)]))

await serveInPage(folders, `
import * as component from '/component/src/index.js'
import { likePackage } from '/js/component.mjs'
import { answerLine } from '/js/npm.mjs'
const api = likePackage(component, await component.PolicyEngine.load())`)
