// What the JavaScript original answers: the sandbox runtime's own functions, called as they are, and the few rules that
// the extension put around them (public names and addresses, the supervisor, the keys of a received policy).
//
// Every function takes the set of differences in force. With none it is the original; each difference adds its own small
// change. A disagreement with the core is explained when some differences make the original give the core's answer.

import { BlockList, isIP } from 'node:net'
import { matchesDomainPatternWithPort, splitDomainPatternPort } from '@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js'
import { canonicalizeHost, isValidHost } from '@anthropic-ai/sandbox-runtime/dist/sandbox/parent-proxy.js'
import { NetworkConfigSchema } from '@anthropic-ai/sandbox-runtime/dist/sandbox/sandbox-config.js'
import { make, ownCopy } from './values.mjs'

export const DENY_ALL = { allowedDomains: [], deniedDomains: ['*'] }
const MAX_POLICY_BYTES = 15_360
const NONE = new Set()

/** The answer to a case, under some differences. */
export function answer(test, differences = NONE) {
  return KINDS[test.kind](test, differences)
}

const KINDS = {
  host({ host }, d) {
    const valid = isHost(host, d)
    return { valid, canonical: valid ? canonical(host, d) : null }
  },
  entry({ list, entry }, d) {
    if (!isEntry(entry, list, d)) return { valid: false }
    const { hostPattern, port } = split(entry, d)
    return { valid: true, host: hostPattern, port: port ?? null }
  },
  match({ list, entry, host, port }, d) {
    const compared = isEntry(entry, list, d) && isHost(host, d)
    return { match: compared && matches(canonical(host, d), port, entry, list, d) }
  },
  /** The function by itself, which no list goes with; where the core has to choose, it reads as the denied list does. */
  compat({ entry, host, port }, d) {
    if (!isEntry(entry, 'deniedDomains', d) || !isHost(host, d)) return { match: false }
    const name = canonical(host, d)
    // The function takes canonical hosts, and brings them to canonical form once more.
    return { match: matches(d.has('D1') ? name.replace(/\.$/, '') : name, port, entry, 'deniedDomains', d) }
  },
  decide({ network, host, port }, d) {
    return decide(isPolicy(network, d) ? network : DENY_ALL, host, port, d)
  },
  text({ text }, d) {
    let value
    try {
      value = JSON.parse(text)
    } catch {
      return DENY_ALL
    }
    return d.has('D6') && !isStrict(text) ? DENY_ALL : received(value, d)
  },
  address({ address }, d) {
    return { public: isPublicAddress(address, d) }
  },
  value({ policy, way }, d) {
    return received(d.has('D7') ? ownCopy(make(policy, way)) : make(policy, way), d)
  },
  supervise({ network, host, port, recheck, answer }, d) {
    const policy = isPolicy(network, d) ? network : DENY_ALL
    const bytes = Buffer.byteLength(JSON.stringify(policy))
    if (d.has('D9') && bytes > MAX_POLICY_BYTES) return { error: `policy too large: ${bytes} bytes, limit ${MAX_POLICY_BYTES}` }
    if (host.length > 253) return { asked: null, allow: false }
    if (d.has('D5') && recheck) {
      const { action, host: asked } = decide(policy, host, port, d)
      return action === 'review' ? { asked, allow: answer === 'allow' } : { asked: null, allow: action === 'allow' }
    }
    return { asked: host, allow: answer === 'allow' }
  },
}

export function isHost(host, d = NONE) {
  if (!isValidHost(host)) return false
  const bracketed = host.startsWith('[') && host.endsWith(']')
  return !(d.has('D11') && bracketed && isIP(host.slice(1, -1)) === 0)
}

function canonical(host, d) {
  const found = canonicalizeHost(host)
  // No IDNA tables: what is no address is only lower-cased, whatever the runtime's URL parser says.
  if (d.has('D1') && (found === undefined || isIP(found) === 0)) return host.toLowerCase().replace(/\.$/, '')
  return d.has('D8') ? unmapped(found ?? host) : (found ?? host)
}

/** D8: the dotted form of an IPv4-mapped address, which the URL parser writes as `::ffff:` and two groups. */
function unmapped(host) {
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host)
  if (!groups) return host
  const number = parseInt(groups[1], 16) * 0x10000 + parseInt(groups[2], 16)
  return [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.')
}

export function isEntry(entry, list, d = NONE) {
  if (d.has('D3') && typeof entry === 'string' && entry.startsWith('[')) {
    const parts = /^\[([^\]]*)\](?::([1-9][0-9]{0,4}))?$/.exec(entry)
    return parts !== null && isIP(parts[1]) !== 0 && !parts[1].includes('%') && Number(parts[2] ?? 1) <= 65535
  }
  return isTaken(entry, list)
}

/** What the schema says, remembered: the same entry is judged several times for one case. */
function isTaken(entry, list) {
  const known = taken[list].get(entry)
  if (known !== undefined) return known
  if (taken[list].size >= 4096) taken[list].clear()
  const { success } = NetworkConfigSchema.safeParse({ allowedDomains: [], deniedDomains: [], [list]: [entry] })
  taken[list].set(entry, success)
  return success
}

const taken = { allowedDomains: new Map(), deniedDomains: new Map() }

function isPolicy(network, d) {
  return ['allowedDomains', 'deniedDomains'].every((list) => network[list].every((entry) => isEntry(entry, list, d)))
}

function split(entry, d) {
  const { hostPattern, port } = splitDomainPatternPort(entry)
  return { hostPattern: d.has('D8') && entry.startsWith('[') ? unmapped(hostPattern) : hostPattern, port }
}

function matches(host, port, entry, list, d) {
  const { hostPattern, port: ownPort } = split(entry, d)
  if (ownPort !== undefined && ownPort !== port) return false
  if (d.has('D10') && list === 'deniedDomains' && !entry.startsWith('[') && isHost(hostPattern, d)) {
    return canonical(hostPattern, d) === host
  }
  if (d.has('D8') && entry.startsWith('[')) return hostPattern === host
  return matchesDomainPatternWithPort(host, port, entry)
}

function decide(policy, host, port, d) {
  if (!isHost(host, d)) return { action: 'deny', reason: 'malformed-host', host: null, port }
  const name = canonical(host, d)
  for (const [list, action] of [['deniedDomains', 'deny'], ['allowedDomains', 'allow']]) {
    const index = policy[list].findIndex((entry) => matches(name, port, entry, list, d))
    if (index !== -1) return { action, reason: 'rule', list, index, pattern: policy[list][index], host: name, port }
  }
  // The approver was shown the host as it was asked for.
  const shown = publicHostname(d.has('D2') ? name : host, d)
  return shown === null ? { action: 'deny', reason: 'not-public', host: name, port } : { action: 'review', reason: 'unmatched', host: shown, port }
}

/** The extension's rule for what an approver may be asked about. */
function publicHostname(text, d) {
  const name = (d.has('D2') ? text : text.trim().replace(/\.$/, '')).toLowerCase()
  const isLabel = (label) => /^[a-z0-9-]{1,63}$/.test(label) && !label.startsWith('-') && !label.endsWith('-')
  return name.length <= 253 && isIP(name) === 0 && name.includes('.') && name.split('.').every(isLabel) ? name : null
}

/** The extension's reading of a received policy: these two keys and no other, then the runtime's schema. */
function received(value, d) {
  try {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return DENY_ALL
    if (!Object.keys(value).every((key) => key === 'allowedDomains' || key === 'deniedDomains')) return DENY_ALL
    const parsed = NetworkConfigSchema.safeParse(value)
    if (!parsed.success) return DENY_ALL
    const { allowedDomains, deniedDomains } = parsed.data
    return isPolicy({ allowedDomains, deniedDomains }, d) ? { allowedDomains, deniedDomains } : DENY_ALL
  } catch {
    return DENY_ALL
  }
}

/** D6: no lone surrogate, no number that rounds to infinity, at most 127 arrays and objects open at once. */
function isStrict(text) {
  let open = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]|-?\d[\d.eE+-]*/gsu)) {
    if (token === '[' || token === '{') open += 1
    else if (token === ']' || token === '}') open -= 1
    else if (token.startsWith('"') ? /\p{Surrogate}/u.test(JSON.parse(token)) : !Number.isFinite(Number(token))) return false
    if (open > 127) return false
  }
  return true
}

const blocks = (...networks) => {
  const list = new BlockList()
  for (const network of networks) {
    const [address, prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}

const SPECIAL_V4 = ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4']
const REFUSED = blocks(...SPECIAL_V4, '::/128', '::1/128', 'fc00::/7', 'fe80::/10', 'ff00::/8')
const REGISTRIES = blocks(...SPECIAL_V4, '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24')
const UNICAST = blocks('2000::/3')
const SPECIAL_V6 = blocks('2001::/23', '2001:db8::/32', '3fff::/20')

function isPublicAddress(address, d) {
  const family = isIP(address)
  if (family === 0) return false
  if (!d.has('D4')) {
    const bare = address.replace(/%.*$/, '')
    const text = family === 6 ? unmapped(canonicalizeHost(bare) ?? bare) : bare
    return !REFUSED.check(text, isIP(text) === 6 ? 'ipv6' : 'ipv4')
  }
  if (address.includes('%')) return false
  if (family === 4) return !REGISTRIES.check(address, 'ipv4')
  const inner = carried(canonicalizeHost(address))
  if (inner !== null) return !REGISTRIES.check(inner, 'ipv4')
  return UNICAST.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6')
}

/** D4: the IPv4 address that an IPv6 address carries. */
function carried(address) {
  const [before, behind] = address.split('::')
  const head = before ? before.split(':') : []
  const tail = behind ? behind.split(':') : []
  const zeros = address.includes('::') ? 8 - head.length - tail.length : 0
  const groups = [...head, ...Array(zeros).fill('0'), ...tail].map((group) => parseInt(group, 16))
  const starts = (...prefix) => prefix.every((group, at) => groups[at] === group)
  const at = starts(0, 0, 0, 0, 0, 0xffff) || starts(0, 0, 0, 0, 0xffff, 0) || starts(0x64, 0xff9b, 0, 0, 0, 0) ? 6 : starts(0x2002) ? 1 : null
  return at === null ? null : [groups[at] >> 8, groups[at] & 255, groups[at + 1] >> 8, groups[at + 1] & 255].join('.')
}
