import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs the tarball, or else what packing the package makes, into an empty project below `folder`. */
export function installPackage(packageDir, folder, tarball = pack(packageDir, folder)) {
  const project = join(folder, 'project')
  installTarball(tarball, project)
  writeFileSync(join(project, 'package-under-test.mjs'), ENTRIES)
  return { project, tarball }
}

function pack(packageDir, folder) {
  const [{ filename }] = JSON.parse(npm(packageDir, ['pack', '--json', '--pack-destination', folder]))
  return join(folder, filename)
}

/** An empty project with the package in it. */
export function installTarball(tarball, project, manifest = {}) {
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, ...manifest }))
  npm(project, ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball])
  const installed = join(project, 'node_modules/pi-sandbox-policy')
  return { installed, manifest: JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) }
}

const ENTRIES = `export * as policy from 'pi-sandbox-policy'
export * as compat from 'pi-sandbox-policy/compat'
export * as inline from 'pi-sandbox-policy/inline'
export * as node from 'pi-sandbox-policy/node'
`

function npm(cwd, args) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
