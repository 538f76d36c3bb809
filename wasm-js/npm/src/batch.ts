// Many decisions in one crossing. `batch.rs` describes the bytes.

import { kind } from './boundary/kind.js'
import { toPort } from './boundary/port.js'
import { ownItem, toText } from './boundary/text.js'
import { type Decision, isSpeltOtherwise, type Lists, malformed, unpack } from './decision.js'
import { CROSSES_AS_STRING, head, readHost, writeHost } from './host-text.js'
import { MAX_DESTINATIONS, MAX_HOST_LENGTH } from './limits.js'

/** Asks `ask` all questions at once. Where it has no answer, the answer is a denial. */
export function decideBatch(
  hosts: readonly string[],
  ports: readonly number[],
  lists: Lists,
  ask: (questions: Uint8Array) => Uint8Array | undefined,
): Decision[] {
  const destinations = copyDestinations(hosts, ports)
  const answers = ask(write(destinations))
  return answers === undefined
    ? destinations.ports.map((port) => malformed(port))
    : read(answers, destinations, lists)
}

interface Destinations {
  readonly hosts: readonly string[]
  readonly ports: readonly number[]
}

/** Checked copies, each element read once. */
function copyDestinations(hosts: readonly string[], ports: readonly number[]): Destinations {
  if (!Array.isArray(hosts)) throw new TypeError(`hosts must be an array, not ${kind(hosts)}`)
  if (!Array.isArray(ports)) throw new TypeError(`ports must be an array, not ${kind(ports)}`)
  const count = hosts.length
  if (count !== ports.length) throw new RangeError(`${count} hosts, but ${ports.length} ports`)
  if (count > MAX_DESTINATIONS) throw new RangeError(`more than ${MAX_DESTINATIONS} destinations`)
  const copied: { hosts: string[]; ports: number[] } = { hosts: [], ports: [] }
  for (let index = 0; index < count; index += 1) {
    const host = ownItem(hosts, index)
    copied.hosts.push(typeof host === 'string' ? host : toText(host, `hosts[${index}]`))
    copied.ports.push(toPort(ownItem(ports, index)))
  }
  return copied
}

/** Port and length of the host, two bytes each. */
const HEADER_LENGTH = 4
/** A host of 256 UTF-16 code units, which is malformed but has to arrive as such, in UTF-8. */
const LONGEST_QUESTION = HEADER_LENGTH + 3 * (MAX_HOST_LENGTH + 1)

const encoder = new TextEncoder()
let scratch = new Uint8Array(64 * 1024)

function write({ hosts, ports }: Destinations): Uint8Array {
  let end = 0
  for (let index = 0; index < hosts.length; index += 1) {
    const host = hosts[index] as string
    const port = ports[index] as number
    if (scratch.length - end < LONGEST_QUESTION) grow()
    const start = end + HEADER_LENGTH
    let length = writeHost(scratch, start, host)
    if (length === CROSSES_AS_STRING) length = encoder.encodeInto(head(host), scratch.subarray(start)).written
    scratch[end] = port & 0xff
    scratch[end + 1] = port >>> 8
    scratch[end + 2] = length & 0xff
    scratch[end + 3] = length >>> 8
    end = start + length
  }
  return scratch.subarray(0, end)
}

function grow(): void {
  const larger = new Uint8Array(2 * scratch.length)
  larger.set(scratch)
  scratch = larger
}

function read(answers: Uint8Array, { hosts, ports }: Destinations, lists: Lists): Decision[] {
  let at = 0
  return hosts.map((host, index) => {
    const port = ports[index] as number
    if (answers.length - at < 4) return malformed(port)
    const packed = uint32(answers, at)
    at += 4
    if (!isSpeltOtherwise(packed)) return unpack(packed, host, port, lists)
    const canonical = readHost(answers, at)
    at += 1 + canonical.length
    return unpack(packed, canonical, port, lists)
  })
}

function uint32(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]
  return (first | (second << 8) | (third << 16) | (fourth << 24)) >>> 0
}
