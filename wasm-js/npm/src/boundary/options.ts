import { kind } from './kind.js'

/** Options, with no name that nobody reads: a typing error would otherwise choose the default. */
export function toOptions<T extends object>(value: T, names: readonly (keyof T & string)[], what: string): T {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${what} must be an object, not ${kind(value)}`)
  for (const name of Object.keys(value)) {
    if ((names as readonly string[]).includes(name)) continue
    throw new TypeError(`${what} must have no \`${printable(name)}\`: the names are ${names.join(', ')}`)
  }
  return value
}

/** As JSON shows it, and not too long. */
function printable(name: string): string {
  return JSON.stringify(name.slice(0, 64)).slice(1, -1)
}
