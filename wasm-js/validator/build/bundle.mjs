import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { deflateRawSync } from 'node:zlib'

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

/** Makes the page: four files, all but `index.html` with a hash of their content in their names. */
export async function bundlePage(out) {
  const files = { ...options, entryNames: '[name]-[hash]', outdir: out }
  const editor = await build({ ...files, entryPoints: ['src/editor/editor.ts'], globalName: 'codeEditors' })
  const page = await build({
    ...files,
    entryPoints: ['src/main.ts', 'src/style.css'],
    plugins: [text('editor-address', () => basename(editor.outputFiles[0].path)), text('worker-source', bundleWorker)],
  })
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  for (const { path, contents } of [...editor.outputFiles, ...page.outputFiles]) writeFileSync(path, contents)
  let html = readFileSync(join(project, 'src/index.html'), 'utf8')
  for (const name of page.outputFiles.map(({ path }) => basename(path))) {
    html = replaceOnce(html, name.replace(/-[^-]+\./, '.'), name)
  }
  writeFileSync(join(out, 'index.html'), html)
}

function replaceOnce(html, old, replacement) {
  const parts = html.split(`"${old}"`)
  if (parts.length !== 2) throw new Error(`index.html names "${old}" ${parts.length - 1} times`)
  return parts.join(`"${replacement}"`)
}

/** `import text from 'name'` gives what is made here. */
function text(name, make) {
  return {
    name,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, ({ path }) => ({ path, namespace: name }))
      onLoad({ filter: /.*/, namespace: name }, async () => ({ contents: await make(), loader: 'text' }))
    },
  }
}

/**
 * The worker as a text. Started from a text it stands under the page's own Content-Security-Policy;
 * a file of its own would not.
 */
async function bundleWorker() {
  const { outputFiles } = await build({
    ...options,
    entryPoints: ['src/worker/worker.ts'],
    plugins: [packedModule],
    // Part of the package that is never called: it would load the module by a path of its own.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  return outputFiles[0].text
}

/** The WebAssembly module as a text: less than half as long as its bytes in base64. */
const packedModule = {
  name: 'packed-module',
  setup({ onLoad }) {
    onLoad({ filter: /\.wasm$/ }, ({ path }) => ({
      contents: deflateRawSync(readFileSync(path), { level: 9 }).toString('base64'),
      loader: 'text',
    }))
  },
}
