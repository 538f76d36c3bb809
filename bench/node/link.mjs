// `node link.mjs PACKAGE`: makes the built package importable by its name, as it is for its users.

import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const link = fileURLToPath(new URL('node_modules/pi-sandbox-policy', import.meta.url))
mkdirSync(fileURLToPath(new URL('node_modules', import.meta.url)), { recursive: true })
rmSync(link, { recursive: true, force: true })
symlinkSync(resolve(process.argv[2]), link, 'junction')
