// `node sizes.mjs OUTPUT PACKAGE COMPONENT`: what is shipped, as it is and compressed.

import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

import { Part, progress } from './lib/part.mjs'

const [output, packageFolder, component] = process.argv.slice(2)
progress('sizes')

const part = new Part('sizes', 'Sizes')
const rows = []
const shipped = readdirSync(packageFolder, { recursive: true }).filter(name => /\.(wasm|m?js|cjs)$/.test(name))
for (const name of shipped.sort()) rows.push(sizes(`npm: ${name}`, join(packageFolder, name)))
rows.push(sizes(basename(component), component))
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const [pack] = JSON.parse(
  execFileSync(npm, ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: packageFolder, encoding: 'utf8' }),
)
rows.push(['npm tarball', pack.unpackedSize, pack.size, null])
part.section(
  'What is shipped',
  'Bytes: as they are, with `gzip -9`, with brotli 11. For the tarball the first figure is its contents.',
  [
    ['file', 'text'],
    ['raw', 'bytes'],
    ['gzip', 'bytes'],
    ['brotli', 'bytes'],
  ],
  rows,
)
part.write(output)

function sizes(name, path) {
  const bytes = readFileSync(path)
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
  return [name, bytes.length, gzipSync(bytes, { level: 9 }).length, brotli.length]
}
