import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const project = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Puts the npm package into `node_modules` as a user gets it: packed, then unpacked. `npm ci` leaves
 * it alone because no lock file can name a package that is built next door.
 */
export function installPackage(packageDir) {
  const temporary = mkdtempSync(join(tmpdir(), 'validator-package-'))
  try {
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', temporary], {
      cwd: packageDir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [{ filename }] = JSON.parse(packed)
    const installed = join(project, 'node_modules/pi-sandbox-policy')
    rmSync(installed, { recursive: true, force: true })
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['-xzf', join(temporary, filename), '-C', installed, '--strip-components=1'])
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}
