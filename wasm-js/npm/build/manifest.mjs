import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What concerns this project alone. */
const NOT_PUBLISHED = ['private', 'scripts', 'devDependencies']

/** The package.json of the package. */
export function publishedManifest(project) {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  for (const name of NOT_PUBLISHED) delete manifest[name]
  // Whoever imports nothing from an entry needs nothing of it. Not so for the files in `src`.
  return { ...manifest, sideEffects: false, files: ['dist'] }
}
