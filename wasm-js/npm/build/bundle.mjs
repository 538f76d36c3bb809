import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import { build } from 'esbuild'

/**
 * In CommonJS one file holds the module and its instance, and the entries ask it; the ES modules
 * for Node name what these files export, so that `import` and `require` give the same classes.
 * What is for browsers is one file each.
 */
export async function bundle({ project, glue, out }) {
  const source = join(project, 'src')
  const specification = (page) => join(project, `../../policy-core/spec/${page}.md`)
  const options = {
    bundle: true,
    logLevel: 'warning',
    target: 'es2022',
    legalComments: 'none',
    keepNames: true,
    alias: { 'policy-glue': join(glue, 'policy.js'), 'policy-wasm': join(glue, 'policy_bg.wasm') },
    loader: { '.wasm': 'base64' },
    // Part of the glue that is never called: it would load the module by a path of its own.
    logOverride: { 'empty-import-meta': 'silent' },
  }
  const commonjs = { ...options, format: 'cjs', platform: 'node', external: ['node:*'] }
  const shared = leaveOut({ [join(source, 'internal.ts')]: './shared.js', [join(source, 'node/index.ts')]: './node.js' })
  const browser = { ...options, format: 'esm', platform: 'neutral' }
  await Promise.all([
    build({ ...commonjs, entryPoints: [join(source, 'entry/shared.ts')], outfile: join(out, 'cjs/shared.js') }),
    build({
      ...commonjs,
      entryPoints: {
        index: join(source, 'index.ts'),
        compat: join(source, 'compat/index.ts'),
        node: join(source, 'node/index.ts'),
      },
      outdir: join(out, 'cjs'),
      plugins: [shared],
    }),
    build({
      ...commonjs,
      entryPoints: [join(source, 'cli/main.ts')],
      outfile: join(out, 'cjs/cli.js'),
      alias: { 'lint-pages': specification('lint'), 'diagnostic-page': specification('diagnostic') },
      loader: { '.md': 'text' },
      banner: { js: '#!/usr/bin/env node' },
      plugins: [shared],
    }),
    build({ ...browser, entryPoints: [join(source, 'entry/browser.ts')], outfile: join(out, 'browser.js') }),
    build({ ...browser, entryPoints: [join(source, 'entry/inline.ts')], outfile: join(out, 'inline.js') }),
  ])
  for (const entry of ['index.js', 'compat.js', 'node.js']) {
    writeFileSync(join(out, entry), reexports(join(out, 'cjs', entry), `./cjs/${entry}`))
  }
  writeFileSync(join(out, 'import.js'), required(join(out, 'cjs/index.js'), './cjs/index.js'))
}

/** Leaves files out of a bundle, which then requires them from where they were bundled. */
function leaveOut(bundled) {
  return {
    name: 'leave-out',
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => {
        const file = bundled[join(resolveDir, path).replace(/\.js$/, '.ts')]
        return file && { path: file, external: true }
      })
    },
  }
}

/** An ES module that exports what a CommonJS file exports, by name. */
function reexports(file, specifier) {
  return `export { ${exportsOf(file)} } from '${specifier}'\n`
}

/**
 * The same for Node alone, which starts milliseconds sooner when it need not analyse the CommonJS file for its names.
 * Bundlers cannot follow it; they take the other one, by the condition `module`.
 */
function required(file, specifier) {
  return `import { createRequire } from 'node:module'

export const { ${exportsOf(file)} } = createRequire(import.meta.url)('${specifier}')
`
}

function exportsOf(file) {
  return Object.keys(createRequire(file)(file)).sort().join(', ')
}
