// Makes the package: checks the types, bundles the JavaScript, writes the declarations.
//
//   POLICY_GLUE_DIR   what wasm-bindgen made: policy.js, policy.d.ts, policy_bg.wasm
//   POLICY_OUT_DIR    where the package goes

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { bundle } from './bundle.mjs'
import { writeDeclarations } from './declarations.mjs'
import { publishedManifest } from './manifest.mjs'

const project = dirname(dirname(fileURLToPath(import.meta.url)))
const artifacts = join(project, '../../target/artifacts/npm')
const glue = process.env.POLICY_GLUE_DIR ?? join(artifacts, 'glue')
const out = process.env.POLICY_OUT_DIR ?? join(artifacts, 'package')

rmSync(out, { recursive: true, force: true })
mkdirSync(join(out, 'dist/cjs'), { recursive: true })

writeDeclarations({ project, glue, out: join(out, 'dist') })
await bundle({ project, glue, out: join(out, 'dist') })

copyFileSync(join(glue, 'policy_bg.wasm'), join(out, 'dist/policy.wasm'))
copyFileSync(join(project, 'README.md'), join(out, 'README.md'))
copyFileSync(join(project, '../../LICENSE'), join(out, 'LICENSE'))
// Below this file, `.js` means CommonJS, for programs and for types.
writeFileSync(join(out, 'dist/cjs/package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`)
writeFileSync(join(out, 'package.json'), `${JSON.stringify(publishedManifest(project), null, 2)}\n`)
