import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of the package that this program is in. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  return (manifest as { version: string }).version
}
