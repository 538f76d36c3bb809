// Starts workers. This file is the first that the page evaluates, so that its first worker comes up
// while the rest is still being read.

import source from 'worker-source'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** A worker started from a text stands under the page's own Content-Security-Policy. */
const address = trusted(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))

let first: Worker | Error | undefined = attempt()

/** A new worker; throws where the browser refuses one. */
export function startWorker(): Worker {
  const worker = first ?? attempt()
  first = undefined
  if (worker instanceof Error) throw worker
  return worker
}

function attempt(): Worker | Error {
  try {
    return new Worker(address, { name: 'policy' })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Where the browser knows trusted types, the page lets no other address become a script. */
function trusted(own: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy('policy-worker', { createScriptURL: (url) => url })
  return policy?.createScriptURL(own) ?? own
}
