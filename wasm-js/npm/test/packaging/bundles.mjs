// The usual bundlers on the small program, with the settings that a user would start from.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { installed, project } from '../package.mjs'
import { toolRequire } from './tools.mjs'
import { NAMES, program } from './usage.mjs'

const answer = program('globalThis.answer = String')

function source(name, text) {
  mkdirSync(join(project, 'bundled'), { recursive: true })
  const file = join(project, 'bundled', name)
  writeFileSync(file, text)
  return file
}

const withInit = () =>
  source('init.js', `import { init } from 'pi-sandbox-policy'\nimport ${NAMES} from 'pi-sandbox-policy'\nawait init()\n${answer}`)
const inline = () => source('inline.js', `import ${NAMES} from 'pi-sandbox-policy/inline'\n${answer}`)
const inNode = () => source('node.js', `import ${NAMES} from 'pi-sandbox-policy'\n${program('console.log')}`)

async function esbuild(entry, outfile, options) {
  const { build } = toolRequire('esbuild')
  await build({ entryPoints: [entry], outfile, bundle: true, logLevel: 'error', target: 'es2022', ...options })
  return outfile
}

async function vite(entry, folder) {
  const { build } = await import(toolRequire.resolve('vite'))
  await build({
    root: project,
    logLevel: 'error',
    configFile: false,
    base: './',
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      rollupOptions: { input: entry, output: { entryFileNames: 'main.js' } },
    },
  })
}

function webpack(entry, folder, options) {
  const compile = toolRequire('webpack')
  return new Promise((resolve, reject) => {
    compile(
      // Its advice on sizes is for whole pages; everything else that it warns of counts.
      { mode: 'production', context: project, entry, output: { path: folder, filename: 'main.js' }, performance: false, ...options },
      (error, stats) => {
        if (error) return reject(error)
        if (stats.hasErrors() || stats.hasWarnings()) return reject(new Error(stats.toString({ all: false, errors: true, warnings: true })))
        resolve(join(folder, 'main.js'))
      },
    )
  })
}

export const bundles = {
  browser: {
    vite: (folder) => vite(withInit(), folder),
    'vite, inline': (folder) => vite(inline(), folder),
    webpack: (folder) => webpack(withInit(), folder, { target: 'web' }),
    'webpack, inline': (folder) => webpack(inline(), folder, { target: 'web' }),
    // esbuild leaves the URL as it is: the module has to lie beside the bundle.
    esbuild: async (folder) => {
      await esbuild(withInit(), join(folder, 'main.js'), { format: 'esm' })
      copyFileSync(join(installed, 'dist/policy.wasm'), join(folder, 'policy.wasm'))
    },
    'esbuild, inline': (folder) => esbuild(inline(), join(folder, 'main.js'), { format: 'esm' }),
  },
  node: {
    'esbuild, CommonJS': (folder) => esbuild(inNode(), join(folder, 'main.cjs'), { platform: 'node', format: 'cjs' }),
    'esbuild, ES module': (folder) => esbuild(inNode(), join(folder, 'main.mjs'), { platform: 'node', format: 'esm' }),
    webpack: (folder) => webpack(inNode(), folder, { target: 'node' }),
  },
}
