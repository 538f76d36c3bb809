// What `pi-sandbox-policy` and `pi-sandbox-policy/compat` have in common in Node, Deno and Bun, as
// ES module or CommonJS: one instance, one set of classes.

import './inlined-module.js'

export * from '../internal.js'
