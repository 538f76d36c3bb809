// node validate.mjs FILE…   against the JSON schema of the version that each file names, unknown members being errors;
// and every reference must lead somewhere.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

import { Spec, Validation } from '@cyclonedx/cyclonedx-library'

const files = process.argv.slice(2)
if (files.length === 0) {
  console.error('no file to validate')
  process.exitCode = 2
}

for (const file of files) {
  const text = readFileSync(file, 'utf8')
  const problems = await problemsOf(text, JSON.parse(text))
  if (problems.length > 0) process.exitCode = 1
  console.log(`${basename(file)}: ${problems.length === 0 ? 'valid' : problems.join('\n  ')}`)
}

async function problemsOf(text, list) {
  if (!Object.values(Spec.Version).includes(list.specVersion)) return [`no version of CycloneDX: ${list.specVersion}`]
  const invalid = await new Validation.JsonStrictValidator(list.specVersion).validate(text)
  if (invalid !== null) return invalid.map(({ instancePath, message }) => `${instancePath}: ${message}`)
  const known = new Set([list.metadata.component, ...list.components].map((component) => component['bom-ref']))
  const used = list.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
  return used.filter((ref) => !known.has(ref)).map((ref) => `nothing is called ${ref}`)
}
