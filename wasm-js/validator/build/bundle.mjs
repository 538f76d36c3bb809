import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { build } from 'esbuild'

import { project } from './package.mjs'

const options = {
  absWorkingDir: project,
  bundle: true,
  minify: true,
  write: false,
  logLevel: 'warning',
  target: 'es2022',
  format: 'iife',
  legalComments: 'none',
  loader: { '.md': 'text' },
}

/** Makes the page: three files, the two that `index.html` names with a hash of their content in their names. */
export async function bundlePage(out) {
  const { outputFiles } = await build({
    ...options,
    entryPoints: ['src/main.ts', 'src/style.css'],
    entryNames: '[name]-[hash]',
    outdir: out,
    plugins: [workerSource],
  })
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  let html = readFileSync(join(project, 'src/index.html'), 'utf8')
  for (const { path, contents } of outputFiles) {
    const name = basename(path)
    writeFileSync(join(out, name), contents)
    html = replaceOnce(html, name.replace(/-[^-]+\./, '.'), name)
  }
  writeFileSync(join(out, 'index.html'), html)
}

function replaceOnce(text, old, replacement) {
  const parts = text.split(`"${old}"`)
  if (parts.length !== 2) throw new Error(`index.html names "${old}" ${parts.length - 1} times`)
  return parts.join(`"${replacement}"`)
}

/**
 * `import source from 'worker-source'` gives the worker as a text. Started from a text it stands
 * under the page's own Content-Security-Policy; a file of its own would not.
 */
const workerSource = {
  name: 'worker-source',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^worker-source$/ }, ({ path }) => ({ path, namespace: 'worker-source' }))
    onLoad({ filter: /.*/, namespace: 'worker-source' }, async () => {
      const { outputFiles } = await build({ ...options, entryPoints: ['src/worker/worker.ts'] })
      return { contents: outputFiles[0].text, loader: 'text' }
    })
  },
}
