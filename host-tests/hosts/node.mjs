// The npm package in Node, as an ES module.

import { pathToFileURL } from 'node:url'
import { createRequire } from 'node:module'
import { answerLine } from './js/npm.mjs'
import { serve } from './js/serve.mjs'

const folder = process.env.POLICY_PACKAGE
const { exports } = createRequire(import.meta.url)(`${folder}/package.json`)
const entry = exports['.'].node.import
const api = await import(pathToFileURL(`${folder}/${typeof entry === 'string' ? entry : entry.default}`))

await serve((line) => answerLine(api, line))
