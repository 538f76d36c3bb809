// Starts workers. This file is the first that the page evaluates, so that its first worker comes up
// while the rest is still being read.

import source from 'worker-source'

import { scriptAddress } from './scripts.js'

/** A worker started from a text stands under the page's own Content-Security-Policy. */
const address = scriptAddress(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))

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
