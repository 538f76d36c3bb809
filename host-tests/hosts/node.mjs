// The npm package in Node, as an ES module; Deno and Bun run this file too.

import { answerLine } from './js/npm.mjs'
import { importPackage } from './js/package.mjs'
import { serve } from './js/serve.mjs'

const api = await importPackage('node', 'import')

await serve((lines) => lines.map((line) => answerLine(api, line)))
