// The component, transpiled by jco, in Node.

import * as component from '../../wasm-component/js/src/node.js'
import { likePackage } from './js/component.mjs'
import { answerLine } from './js/npm.mjs'
import { serve } from './js/serve.mjs'

const api = likePackage(component, component.loadSync())

await serve((lines) => lines.map((line) => answerLine(api, line)))
