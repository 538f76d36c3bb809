// Many decisions in one crossing. `batch.rs` describes the bytes.

import { kind } from './boundary/kind.js'
import { toPort } from './boundary/port.js'
import { ownItem, toText } from './boundary/text.js'
import { type Decision, isSpeltOtherwise, type Lists, malformed, unpack } from './decision.js'
import { head, readHost } from './host-text.js'
import { MAX_DESTINATIONS, MAX_HOST_LENGTH } from './limits.js'

/** Asks `ask` all questions at once. Where it has no answer, the answer is a denial. */
export function decideBatch(
  hosts: readonly string[],
  ports: readonly number[],
  lists: Lists,
  ask: (questions: Uint8Array, count: number) => Uint8Array | undefined,
): Decision[] {
  const destinations = copyDestinations(hosts, ports)
  const answers = ask(write(destinations), destinations.hosts.length)
  return answers === undefined
    ? Array.from(destinations.ports, malformed)
    : read(answers, destinations, lists)
}

interface Destinations {
  readonly hosts: readonly string[]
  readonly ports: Uint16Array
  /** Length of the longest host. */
  readonly longest: number
}

/** Checked copies, each element read once. */
function copyDestinations(hosts: readonly string[], ports: readonly number[]): Destinations {
  if (!Array.isArray(hosts)) throw new TypeError(`hosts must be an array, not ${kind(hosts)}`)
  if (!Array.isArray(ports)) throw new TypeError(`ports must be an array, not ${kind(ports)}`)
  const count = lengthOf(hosts, 'hosts')
  const portCount = lengthOf(ports, 'ports')
  if (count !== portCount) throw new RangeError(`${count} hosts, but ${portCount} ports`)
  if (count > MAX_DESTINATIONS) throw new RangeError(`more than ${MAX_DESTINATIONS} destinations`)
  let longest = 0
  const checkedPorts = new Uint16Array(count)
  // Unlike an assignment, this asks no setter of a changed prototype.
  const checkedHosts = Array.from({ length: count }, (_, index) => {
    const item = ownItem(hosts, index)
    const host = typeof item === 'string' ? item : toText(item, `hosts[${index}]`)
    if (host.length > longest) longest = host.length
    checkedPorts[index] = toPort(ownItem(ports, index))
    return host
  })
  return { hosts: checkedHosts, ports: checkedPorts, longest }
}

/** Read once: a proxy may say anything, and something else each time. */
function lengthOf(array: readonly unknown[], what: string): number {
  const length: unknown = array.length
  if (typeof length === 'number' && Number.isInteger(length) && length >= 0) return length
  throw new TypeError(`${what} must be an array with a length`)
}

/** Port and length of the host, two bytes each. */
const NUMBERS_LENGTH = 4

const encoder = new TextEncoder()
let scratch = new Uint8Array(64 * 1024)

function write({ hosts, ports, longest }: Destinations): Uint8Array {
  const count = hosts.length
  const start = NUMBERS_LENGTH * count
  if (longest <= MAX_HOST_LENGTH) {
    const all = hosts.join('')
    // A unit takes up to three bytes.
    reserve(start + 3 * all.length)
    const { written } = encoder.encodeInto(all, scratch.subarray(start))
    // One byte for each unit: all is ASCII, and the lengths of the hosts are those of their bytes.
    if (written === all.length) {
      for (let index = 0; index < count; index += 1) {
        writeUint16(2 * index, ports[index] as number)
        writeUint16(2 * (count + index), (hosts[index] as string).length)
      }
      return scratch.subarray(0, start + written)
    }
  }
  // One by one: two halves of surrogate pairs must not meet. One unit too many shows what is too long.
  reserve(start + 3 * hosts.reduce((sum, host) => sum + Math.min(host.length, MAX_HOST_LENGTH + 1), 0))
  let end = start
  for (let index = 0; index < count; index += 1) {
    const { written } = encoder.encodeInto(head(hosts[index] as string), scratch.subarray(end))
    writeUint16(2 * index, ports[index] as number)
    writeUint16(2 * (count + index), written)
    end += written
  }
  return scratch.subarray(0, end)
}

function writeUint16(at: number, number: number): void {
  scratch[at] = number & 0xff
  scratch[at + 1] = number >>> 8
}

/** Makes room; what was there need not stay. */
function reserve(length: number): void {
  if (scratch.length < length) scratch = new Uint8Array(2 * length)
}

function read(answers: Uint8Array, { hosts, ports }: Destinations, lists: Lists): Decision[] {
  const answered = new DataView(answers.buffer, answers.byteOffset, answers.length)
  const end = NUMBERS_LENGTH * hosts.length
  // Without all answers it is not known where the spellings begin.
  if (answers.length < end) return Array.from(ports, malformed)
  let spelling = end
  return hosts.map((asked, index) => {
    const packed = answered.getUint32(4 * index, true)
    const port = ports[index] as number
    if (!isSpeltOtherwise(packed)) return unpack(packed, asked, port, lists)
    const host = readHost(answers, spelling)
    spelling += 1 + host.length
    return unpack(packed, host, port, lists)
  })
}
