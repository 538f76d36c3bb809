// Makes the page in dist/validator: checks the types, bundles.
//
//   POLICY_PACKAGE_DIR     the built npm package
//   VALIDATOR_OUT_DIR      where the page goes

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { bundlePage } from './bundle.mjs'
import { installPackage, project } from './package.mjs'

const repository = join(project, '../..')
const out = process.env.VALIDATOR_OUT_DIR ?? join(repository, 'dist/validator')

installPackage(process.env.POLICY_PACKAGE_DIR ?? join(repository, 'target/artifacts/npm/package'))
const { status } = spawnSync('npm', ['run', '--silent', 'typecheck'], { cwd: project, stdio: 'inherit' })
if (status !== 0) process.exit(1)
await bundlePage(out)

for (const name of readdirSync(out)) {
  const bytes = readFileSync(join(out, name))
  const kilobytes = (length) => `${Math.ceil(length / 1024)} KiB`
  console.log(`${name}: ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} gzipped`)
}
