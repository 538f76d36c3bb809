import { Mistake } from './errors.js'

/** Where a connection goes. */
export interface Destination {
  readonly host: string
  readonly port: number
}

const DEFAULT_PORT = 443

/**
 * Reads `HOST`, `HOST:PORT`, `[IPV6]:PORT` or a bare IPv6 address. An odd host is left to the core;
 * what nobody would dial is an error that says what to type.
 */
export function readDestination(text: string): Destination {
  if (text.includes('://')) throw new Mistake(`\`${text}\` is a URL; a destination is a host and a port`, ofUrl(text))
  if (/\.json$/i.test(text)) throw notADestination(text, 'a file')
  if (text.includes('/')) {
    const host = text.slice(0, text.indexOf('/'))
    // `./draft`, `/etc/x`, `a/b`: no host stands in front.
    if (!host.includes('.', 1)) throw notADestination(text, 'a path')
    throw new Mistake(`\`${text}\` has a path; a destination is a host and a port`, `write \`${host}\``)
  }
  if (text === '-') throw notADestination(text, 'standard input')
  const [host, port] = split(text)
  return { host, port: port === undefined ? DEFAULT_PORT : readPort(text, port) }
}

/** A destination as one would type it. */
export function endpoint({ host, port }: Destination): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`
}

/** A configuration was meant. Answering by another one would mislead. */
export class FileMistake extends Mistake {}

function notADestination(text: string, what: string): FileMistake {
  return new FileMistake(`\`${text}\` is ${what}, not a destination`, `for the configuration write \`--config ${text}\``)
}

/** The host, and the port where there is one: text with several colons and no brackets is all host. */
function split(text: string): readonly [string, string | undefined] {
  const end = text.lastIndexOf(':')
  const bracketed = text.startsWith('[')
  const hasPort = end !== -1 && (bracketed ? text[end - 1] === ']' : text.indexOf(':') === end)
  return hasPort ? [text.slice(0, end), text.slice(end + 1)] : [text, undefined]
}

function readPort(text: string, port: string): number {
  if (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65535) return Number(port)
  const wrong = port === '' ? `in \`${text}\` no port follows the \`:\`` : `\`${port}\` in \`${text}\` is no port`
  throw new Mistake(wrong, 'a port is 1 to 65535')
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'ftp:': 21, 'ssh:': 22, 'git:': 9418 }

/** What somebody may have meant who gave a URL. */
function ofUrl(text: string): string {
  try {
    const { protocol, hostname, port } = new URL(text)
    if (hostname !== '') return `write \`${hostname}:${port || (PORTS[protocol] ?? DEFAULT_PORT)}\``
  } catch {
    // Not even a URL.
  }
  return 'write it as in `github.com:443`'
}
