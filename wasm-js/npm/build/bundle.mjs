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
  const shared = leaveOut(join(source, 'internal.ts'), './shared.js')
  const browser = { ...options, format: 'esm', platform: 'neutral' }
  await Promise.all([
    build({ ...commonjs, entryPoints: [join(source, 'entry/shared.ts')], outfile: join(out, 'cjs/shared.js') }),
    build({
      ...commonjs,
      entryPoints: { index: join(source, 'index.ts'), compat: join(source, 'compat/index.ts') },
      outdir: join(out, 'cjs'),
      plugins: [shared],
    }),
    build({
      ...commonjs,
      entryPoints: [join(source, 'cli/main.ts')],
      outfile: join(out, 'cjs/cli.js'),
      banner: { js: '#!/usr/bin/env node' },
      plugins: [shared],
    }),
    build({ ...browser, entryPoints: [join(source, 'entry/browser.ts')], outfile: join(out, 'browser.js') }),
    build({ ...browser, entryPoints: [join(source, 'entry/inline.ts')], outfile: join(out, 'inline.js') }),
  ])
  for (const [file, entry] of [
    ['node.js', 'index.js'],
    ['compat.js', 'compat.js'],
  ]) {
    writeFileSync(join(out, file), reexports(join(out, 'cjs', entry), `./cjs/${entry}`))
  }
}

/** Leaves a file out of a bundle, which then requires it from where it was bundled. */
function leaveOut(file, bundled) {
  return {
    name: 'leave-out',
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) =>
        join(resolveDir, path).replace(/\.js$/, '.ts') === file ? { path: bundled, external: true } : undefined,
      )
    },
  }
}

/** An ES module that exports what a CommonJS file exports, by name. */
function reexports(file, specifier) {
  const names = Object.keys(createRequire(file)(file)).sort()
  return `export { ${names.join(', ')} } from '${specifier}'\n`
}
