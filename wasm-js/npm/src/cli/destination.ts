import { splitDomainPatternPort } from '../internal.js'
import { UsageError } from './command.js'

/** Where a connection goes. */
export interface Destination {
  readonly host: string
  readonly port: number
}

const DEFAULT_PORT = 443

/** Reads `HOST`, `HOST:PORT`, `[IPV6]:PORT` or a bare IPv6 address. */
export function readDestination(text: string): Destination {
  const { port } = splitDomainPatternPort(text)
  if (port !== undefined) return { host: text.slice(0, text.lastIndexOf(':')), port }
  const end = text.lastIndexOf(':')
  // A bare IPv6 address has more than one; a bracketed one ends in its bracket.
  const meantAsPort = end !== -1 && (text.indexOf(':') === end || text[end - 1] === ']')
  if (text.includes('://')) throw new UsageError(`"${text}" is a URL`, 'write the host and the port: github.com:443')
  if (meantAsPort) {
    throw new UsageError(`"${text.slice(end + 1)}" in "${text}" is no port`, 'a port is a number from 1 to 65535: github.com:443')
  }
  return { host: text, port: DEFAULT_PORT }
}
