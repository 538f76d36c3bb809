// Reads what is typed into the destination tester: where to cut a text into host and port. What a
// host means, and whether it is one at all, is left to the policy core.

import { loneSurrogate } from './utf8.js'

/** A line of the tester. */
export type DestinationLine = Destination | Unreadable

/** A line that names a host and a port. */
export interface Destination {
  readonly asked: string
  readonly host: string
  readonly port: number
  /** What was left out or assumed. */
  readonly notes: readonly string[]
}

/** A line that cannot be cut into host and port. It gets no decision. */
export interface Unreadable {
  readonly asked: string
  readonly problem: string
}

/** Most lines that are answered. */
export const MOST_LINES = 2000

/** All lines that are neither blank nor a comment (`#`), and how many there are beyond those that are answered. */
export function readDestinations(text: string): { readonly lines: readonly DestinationLine[]; readonly omitted: number } {
  const asked = text.split(/\r\n?|\n/).map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  return { lines: asked.slice(0, MOST_LINES).map(readLine), omitted: Math.max(0, asked.length - MOST_LINES) }
}

function readLine(asked: string): DestinationLine {
  if (loneSurrogate(asked) !== -1) return { asked, problem: 'half of a UTF-16 surrogate pair is no character' }
  try {
    return { asked, ...(asked.includes('://') ? readURL(asked) : readHostAndPort(asked)) }
  } catch (error) {
    if (error instanceof Problem) return { asked, problem: error.message }
    throw error
  }
}

class Problem extends Error {}

type Parts = Pick<Destination, 'host' | 'port' | 'notes'>

const DEFAULT_PORT = 443
const SCHEME_PORTS: ReadonlyMap<string, number> = new Map([
  ['http', 80],
  ['https', 443],
  ['ws', 80],
  ['wss', 443],
  ['ftp', 21],
  ['ssh', 22],
  ['git', 9418],
])

function readHostAndPort(text: string): Parts {
  const { before: authority, after: path } = cut(text, /[/?#]/)
  if (/^\/\d{1,3}$/.test(path)) throw new Problem('this is a range of addresses: ask about one address, such as 10.0.0.1:443')
  const notes = path === '' ? [] : [`\`${shortened(path)}\` left out`]
  // A bare IPv6 address has more than one colon and no room for a port.
  const bareIPv6 = !authority.startsWith('[') && authority.indexOf(':') !== authority.lastIndexOf(':')
  const { host, port } = bareIPv6 ? { host: authority, port: '' } : splitPort(authority)
  if (port !== undefined && port !== '') return { host, port: readPort(port), notes }
  if (port === '' && !bareIPv6) throw new Problem('there is no port behind the `:`')
  if (/\s/.test(host)) return { host, port: DEFAULT_PORT, notes: [...notes, 'write one destination on each line'] }
  return { host, port: DEFAULT_PORT, notes: [...notes, `port ${DEFAULT_PORT} assumed`] }
}

function readURL(text: string): Parts {
  const { before: scheme, after } = cut(text, /:\/\//)
  if (!/^[a-z][a-z0-9+.-]*$/i.test(scheme)) throw new Problem('this is neither a URL nor host:port')
  // One program takes `\` for `/` and drops a tab, the next one does not: then they dial different hosts.
  if (/[\\\p{Cc}]/u.test(text)) {
    throw new Problem('programs disagree about a URL with `\\` or a control character: write host:port')
  }
  const { before: authority, after: path } = cut(after.slice('://'.length), /[/?#]/)
  const [userOrHost = '', hostBehindUser, ...more] = authority.split('@')
  if (more.length > 0) throw new Problem('programs disagree about a URL with two `@`: write host:port')
  const { host, port } = splitPort(hostBehindUser ?? userOrHost)
  if (host === '') throw new Problem('this URL has no host')
  const notes = []
  if (hostBehindUser !== undefined) notes.push('user name left out')
  if (path !== '' && path !== '/') notes.push(`\`${shortened(path)}\` left out`)
  if (port !== undefined && port !== '') return { host, port: readPort(port), notes }
  const known = SCHEME_PORTS.get(scheme.toLowerCase())
  if (known === undefined) throw new Problem(`no port is known for \`${shortened(scheme)}://\`: write host:port`)
  return { host, port: known, notes: [...notes, `port ${known} of ${scheme.toLowerCase()}`] }
}

/** Cuts in front of the first match. */
function cut(text: string, at: RegExp): { readonly before: string; readonly after: string } {
  const index = text.search(at)
  return index === -1 ? { before: text, after: '' } : { before: text.slice(0, index), after: text.slice(index) }
}

/** The port is the text behind the last colon that is not inside brackets; undefined without such a colon. */
function splitPort(authority: string): { readonly host: string; readonly port: string | undefined } {
  const colon = authority.lastIndexOf(':')
  if (colon === -1 || colon < authority.lastIndexOf(']')) return { host: authority, port: undefined }
  return { host: authority.slice(0, colon), port: authority.slice(colon + 1) }
}

function readPort(text: string): number {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65535) throw new Problem(`\`${shortened(text)}\` is no port: a port is a number from 1 to 65535`)
  return port
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
