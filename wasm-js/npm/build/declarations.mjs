import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

import ts from 'typescript'

/** The entries, and where the ES module of each is named in the package. */
const ENTRIES = { 'index.d.ts': 'index.d.ts', 'compat/index.d.ts': 'compat.d.ts', 'node/index.d.ts': 'node.d.ts' }

/**
 * Checks the types of the source and writes the declarations that the entries reach: once, as
 * CommonJS, which is what they are in Node. The ES modules' declarations refer to them.
 */
export function writeDeclarations({ project, glue, out }) {
  const source = join(project, 'src')
  const emitted = emit(project, source, glue)
  const waiting = Object.keys(ENTRIES)
  const written = new Set()
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (written.has(name)) continue
    written.add(name)
    const text = emitted.get(name)
    if (text === undefined) throw new Error(`no declarations for ${name}`)
    const file = join(out, 'cjs', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (!fileName.startsWith('.')) throw new Error(`the declarations of ${name} refer to ${fileName}`)
      waiting.push(join(dirname(name), fileName).replace(/\.js$/, '.d.ts'))
    }
  }
  for (const [entry, module] of Object.entries(ENTRIES)) {
    const target = relative(dirname(module), join('cjs', entry)).replace(/\.d\.ts$/, '.js')
    writeFileSync(join(out, module), `export * from './${target}'\n`)
  }
}

function emit(project, source, glue) {
  const config = ts.readConfigFile(join(project, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'))
  const parsed = ts.parseJsonConfigFileContent(config.config, ts.sys, project)
  const options = {
    ...parsed.options,
    noEmit: false,
    emitDeclarationOnly: true,
    paths: { 'policy-glue': [join(glue, 'policy.d.ts')] },
  }
  delete options.pathsBasePath
  const program = ts.createProgram(parsed.fileNames, { ...options, rootDir: undefined })
  const emitted = new Map()
  const write = (file, text) => emitted.set(relative(source, file), text)
  const { diagnostics } = program.emit(undefined, write)
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics]
  if (problems.length > 0) {
    throw new Error(
      ts.formatDiagnostics(problems, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => project,
        getNewLine: () => '\n',
      }),
    )
  }
  return emitted
}
