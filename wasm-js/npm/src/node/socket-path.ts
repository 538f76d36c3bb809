import { chmodSync, lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Bytes that every system has for the path of a socket. A longer one would be cut, and the socket be elsewhere. */
const MAX_PATH_BYTES = 103

/** The path of a socket, which must be absolute and no longer than the system takes. */
export function checkSocketPath(path: string): string {
  // A number would be a port.
  if (!isAbsolute(path)) throw new RangeError(`the path of a socket must be absolute, which "${path}" is not`)
  const bytes = Buffer.byteLength(path)
  if (bytes > MAX_PATH_BYTES) {
    throw new RangeError(`the path of a socket has at most ${MAX_PATH_BYTES} bytes, and ${path} has ${bytes}: use a shorter folder`)
  }
  if (path.includes('\0')) throw new RangeError('the path of a socket has no null character')
  return path
}

/** A folder that this user alone may enter, with room for one socket. */
export class PrivateFolder {
  readonly socketPath: string
  readonly #path: string

  constructor(parent: string = tmpdir()) {
    checkSocketPath(join(parent, `${PREFIX}XXXXXX`, SOCKET))
    this.#path = mkdtempSync(join(parent, PREFIX))
    if (left.size === 0) process.on('exit', removeLeft)
    left.add(this.#path)
    try {
      this.socketPath = checkSocketPath(join(this.#path, SOCKET))
      // Whatever the process lets its files be.
      chmodSync(this.#path, 0o700)
      const { uid, mode } = lstatSync(this.#path)
      if (uid !== process.getuid?.() || (mode & 0o777) !== 0o700) throw new Error(`${this.#path} is not private`)
    } catch (error) {
      this.remove()
      throw error
    }
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true })
    left.delete(this.#path)
    if (left.size === 0) process.off('exit', removeLeft)
  }
}

/** The folders of supervisors that are not closed: they go with the process. */
const left = new Set<string>()

function removeLeft(): void {
  left.forEach((path) => rmSync(path, { recursive: true, force: true }))
}

const PREFIX = 'pi-sandbox-'
const SOCKET = 'supervisor.sock'
