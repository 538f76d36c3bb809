// `pi-sandbox-policy/inline` where there is no Node: one file that works everywhere.

import './inlined-module.js'

export * from '../index.js'
