// The package under test, by its public entries.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const project = process.env.POLICY_TEST_PROJECT
if (project === undefined) throw new Error('run the tests with `npm test`: they need the installed package')

export const installed = join(project, 'node_modules/pi-sandbox-policy')
export const temporary = process.env.POLICY_TEST_TEMPORARY
export const require = createRequire(join(project, 'index.js'))

/** `policy`, `compat`, `inline` and `node`, imported. */
export const load = () => import(pathToFileURL(join(project, 'package-under-test.mjs')))
