// For Node: the same, with modules read from files.

import { readFileSync } from 'node:fs';

import { modules as moduleNames } from '../generated/modules.js';
import { PolicyEngine } from './engine.js';

export * from './index.js';

/** Reads and compiles the core modules; by default from beside this module. */
export function loadSync(base = new URL('../generated/', import.meta.url)) {
  const compile = (name) => [name, new WebAssembly.Module(readFileSync(new URL(name, base)))];
  return new PolicyEngine(moduleNames.map(compile));
}
