// pi-sandbox network policies: the WebAssembly component, transpiled by jco, behind a small, safe API.
//
// What the transpiled code does not do and this does: arguments are checked before they cross; a call that traps is
// deny where the answer is a decision and an error elsewhere; the instance is then thrown away, and the next call gets
// another.

export { PolicyEngine } from './engine.js';
export { ConfigError, ListsError, PolicyUnavailable, Refused } from './errors.js';
export { NetworkPolicy } from './policy.js';
export { Supervisor, Worker } from './protocol.js';
