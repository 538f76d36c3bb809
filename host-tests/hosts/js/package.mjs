// The npm package as built, found by what its own `exports` say.

import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Where `cargo xtask build npm` leaves the package. */
export const folder = process.env.POLICY_PACKAGE

/** The file of the entry `.` under these conditions, relative to the folder. */
export function entryFile(...conditions) {
  const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  let target = exports['.']
  while (typeof target !== 'string') {
    target = Object.entries(target).find(([condition]) => conditions.includes(condition) || condition === 'default')[1]
  }
  return target
}

/** The package, imported as a program in this runtime would get it. */
export const importPackage = (...conditions) => import(pathToFileURL(`${folder}/${entryFile(...conditions)}`))
