// Runs the tests against the package as users get it: packed, and installed into an empty project.
//
//   node test/run.mjs quick        in Node alone
//   node test/run.mjs packaging    in every environment, with the tools of test/packaging/package.json
//
//   POLICY_PACKAGE_DIR             the built package
//   POLICY_TARBALL                 the package as it is published; without it, the built package is packed
//   EXPECT_RUNTIMES                what `packaging` may not leave out, as in 'node-22 node-24 deno bun chromium'

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { installPackage } from './install.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const suite = process.argv[2] ?? 'quick'
const packageDir =
  process.env.POLICY_PACKAGE_DIR ?? process.env.POLICY_OUT_DIR ?? join(here, '../../../target/artifacts/npm/package')

const temporary = mkdtempSync(join(tmpdir(), 'pi-sandbox-policy-'))
try {
  if (suite === 'packaging') {
    const { installTools } = await import('./packaging/tools.mjs')
    installTools()
  }
  const { project, tarball } = installPackage(packageDir, temporary, process.env.POLICY_TARBALL)
  const files = readdirSync(join(here, suite)).filter((name) => name.endsWith('.test.mjs'))
  const { status } = spawnSync(
    process.execPath,
    ['--test', ...(process.env.CI ? [] : ['--test-reporter=spec']), ...files.map((name) => join(here, suite, name))],
    {
      stdio: 'inherit',
      env: { ...process.env, POLICY_TEST_PROJECT: project, POLICY_TEST_TARBALL: tarball, POLICY_TEST_TEMPORARY: temporary },
    },
  )
  process.exitCode = status ?? 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
