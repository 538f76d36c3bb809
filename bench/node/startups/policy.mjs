import { readFileSync } from 'node:fs'
import { NetworkPolicy } from 'pi-sandbox-policy'

const network = JSON.parse(readFileSync(new URL('./network.json', import.meta.url), 'utf8'))
process.exitCode = NetworkPolicy.fromTransport(network).check('api.github.com', 443) === 'allow' ? 0 : 1
