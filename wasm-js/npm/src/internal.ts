// All that stands on the WebAssembly instance, in one place for the entries that share it. Not an
// entry itself: `index.ts` and `compat/index.ts` say what is public.

export * from './compare.js'
export * from './config.js'
export type * from './decision.js'
export * from './diagnostic.js'
export * from './domain-pattern.js'
export * from './errors.js'
export type * from './explanation.js'
export * from './host.js'
export * from './host-ipc.js'
export * from './init.js'
export * from './policy.js'
export * from './supervisor.js'
export type { SourceRange } from './utf16.js'
export * from './utf8.js'
export * from './worker.js'
