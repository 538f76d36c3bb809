import { createReadStream } from 'node:fs'

import { exists, trustedPaths } from '../compat/find.js'
import { ConfigError, invalidUtf8Offset, NetworkPolicy, validateConfig } from '../internal.js'
import { MAX_TEXT_LENGTH } from '../limits.js'
import { InvalidConfiguration, Mistake } from './errors.js'

/** A configuration to work on. */
export interface Configuration {
  /** Null when no file exists and the defaults hold; `-` for standard input. */
  readonly file: string | null
  /** What to call it. */
  readonly name: string
  readonly text: string
}

/** The file that was named, `-` for standard input, or else the trusted one. */
export async function readConfiguration(file: string | undefined): Promise<Configuration> {
  if (file === '') throw new Mistake('the name of the file is empty', HELP)
  for (const path of file === undefined ? trusted() : [file]) {
    const name = path === '-' ? '<stdin>' : path
    try {
      if (file === undefined && !exists(path)) continue
      return { file: path, name, text: decode(name, await readBytes(path)) }
    } catch (error) {
      if (error instanceof Mistake) throw error
      const lost = file === undefined && codeOf(error) === 'ENOENT'
      throw new Mistake(`cannot read \`${name}\`: ${lost ? 'it is a link that leads nowhere' : reason(error)}`, HELP)
    }
  }
  return { file: null, name: 'the defaults (there is no configuration file)', text: '{}' }
}

/** Its network policy. */
export function policyOf(configuration: Configuration): NetworkPolicy {
  try {
    return NetworkPolicy.fromConfig(configuration.text)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new InvalidConfiguration(configuration, validateConfig(configuration.text))
  }
}

const HELP = 'name a file, `-` for standard input, or nothing for the trusted configuration'

function trusted(): string[] {
  try {
    return trustedPaths()
  } catch (error) {
    throw new Mistake(error instanceof Error ? error.message : String(error), 'set HOME, or name a file')
  }
}

/** Not with `readFile`: a pipe or a device has no size that could be looked at first. */
async function readBytes(path: string): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) {
    length += (chunk as Buffer).length
    if (length > MAX_TEXT_LENGTH) throw new RangeError(`it is larger than ${MAX_TEXT_LENGTH / 1024 / 1024} MiB`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    // The mark of a byte order is no JSON, and validation says so.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const offset = invalidUtf8Offset(bytes) ?? 0
    const line = bytes.subarray(0, offset).filter((byte) => byte === 0x0a).length + 1
    throw new Mistake(`\`${name}\` is not UTF-8: byte ${offset}, in line ${line}`, 'save it as UTF-8')
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission is denied',
  EISDIR: 'it is a directory',
}

function reason(error: unknown): string {
  return REASONS[codeOf(error)] ?? (error instanceof Error ? error.message : String(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
