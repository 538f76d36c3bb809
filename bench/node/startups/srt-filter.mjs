import { readFileSync } from 'node:fs'
import { filter } from '../lib/filter.mjs'

const network = JSON.parse(readFileSync(new URL('./network.json', import.meta.url), 'utf8'))
process.exitCode = filter(network, 'api.github.com', 443) === 'allow' ? 0 : 1
