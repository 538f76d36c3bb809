// Turns the component into an ES module and core WebAssembly modules, in `generated/`.
//
//     node scripts/transpile.js [COMPONENT]
//
// The module imports nothing, neither from Node nor from elsewhere, so that one copy serves Node, browsers, Deno
// and Bun.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { transpileBytes } from '@bytecodealliance/jco-transpile';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const component = process.argv[2] ?? join(root, '../policy-host/component/policy.component.wasm');
const generated = join(root, 'generated');

let bytes;
try {
  bytes = await readFile(component);
} catch (error) {
  console.error(`${error.message}: run \`cargo xtask build component\` first`);
  process.exit(1);
}

const { files, imports } = await transpileBytes(new Uint8Array(bytes), {
  name: 'policy',
  // Instances are made by the wrapper, which throws one away after a trap.
  instantiation: 'sync',
  noComponentErrorWrapping: true,
  // A second check of numbers, behind that of the wrapper.
  strict: true,
  nodejsCompat: false,
  tlaCompat: false,
  base64Cutoff: 0,
  wasiShim: false,
  emitTypescriptDeclarations: true,
});
if (imports.length > 0) {
  console.error(`the component must import nothing, but imports ${imports.join(', ')}`);
  process.exit(1);
}

// Plain decoders drop a U+FEFF at the start of a text, which makes another text of it.
const plain = 'new TextDecoder()';
const source = new TextDecoder().decode(files['policy.js']);
if (source.split(plain).length !== 2) {
  console.error(`the transpiled code must have ${plain} once`);
  process.exit(1);
}
files['policy.js'] = source.replace(plain, "new TextDecoder('utf-8', { ignoreBOM: true })");

await rm(generated, { recursive: true, force: true });
for (const [name, content] of Object.entries(files)) {
  const path = join(generated, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
const modules = Object.keys(files).filter((name) => name.endsWith('.wasm')).sort();
await writeFile(
  join(generated, 'modules.js'),
  `// The core modules of the component.\nexport const modules = ${JSON.stringify(modules)};\n`,
);
console.log(`generated/: ${modules.length} core modules, no imports`);
