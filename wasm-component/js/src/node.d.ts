import type { PolicyEngine } from './index.js';

export * from './index.js';

/** Reads and compiles the core modules; by default from beside this module. */
export function loadSync(base?: URL | string): PolicyEngine;
