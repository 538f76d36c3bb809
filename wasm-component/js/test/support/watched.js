import { loadSync } from '../../src/node.js';

/** An engine whose instances trap on demand. */
export function watched() {
  const state = { trap: undefined, instances: 0, memory: undefined };
  const Real = WebAssembly.Instance;
  const trapping = (exported) => (...values) => {
    if (state.trap) {
      throw state.trap;
    }
    return exported(...values);
  };
  WebAssembly.Instance = function Instance(module, imports) {
    const { exports } = new Real(module, imports);
    if (!('memory' in exports)) {
      return { exports };
    }
    state.instances += 1;
    state.memory = exports.memory;
    const isCall = (name) => name.includes('#') && !name.startsWith('cabi_') && !name.includes('[dtor]');
    const copies = Object.entries(exports).map(([name, value]) => [name, isCall(name) ? trapping(value) : value]);
    return { exports: Object.fromEntries(copies) };
  };
  return { engine: loadSync(), state, restore: () => (WebAssembly.Instance = Real) };
}
