// The cases: hosts, entries, policies, destinations, texts and values, drawn so that entries and hosts meet often and
// every difference of the ledger is met. What is drawn depends on the seed alone.

import { Random } from './random.mjs'

const LABELS = [
  'a', 'b', 'www', 'api', 'com', 'org', 'example', 'Example', 'GITHUB', 'github', 'io', 'co', 'uk', 'localhost', 'LOCALHOST',
  'a_b', '_dmarc', '-a', 'a-', 'x--y', '0', '1', '7', '8', '10', '127', '192', '168', '255', '256', '999', '08', '09', '010', '0177',
  '0x', '0X7F', '0x7f', '0xg', '0x100', '1e3', '1a', '65536', '4294967295', '4294967296',
  'xn--', 'XN--', 'xn--a', 'xn--bcher-kva', 'XN--BCHER-KVA', 'xn--nxasmq6b', 'xn--example-', 'xn--0', 'xn--zca', 'xn--1ch', 'xn--ls8h',
  'xn--a-ecp', 'xn--80ak6aa92e', 'xn--wgv71a119e', 'xn--fiqs8s', 'xn--mgba3a4f16a', 'xn--fa-hia', 'xn--11b4c3d', 'xn--iny-zx5a', '',
]
const ODD_LABELS = ['\u212A', 'K\u212A', 'b\u00FCcher', '\u0130', '\u00DF', '\u017F', '*', 'a*', ' ', 'a b', 'user@a', 'a%2e', '\u0000', 'a\u00ADb', '\uFF0E', '[a', 'a]']
const ADDRESSES = [
  '127.0.0.1', '127.1', '0x7f.1', '0177.0.0.1', '2130706433', '0x7f000001', '1.2.3.4', '8.8.8.8', '0x8.8.8.8', '010.8.8.8', '134744072',
  '1.2.3.04', '1.2.3.08', '1.2.3.256', '10.0.0.1', '192.168.1.1', '0', '0x', '0.0.0.0', '169.254.169.254', '2852039166', '1.2.3.4.5',
]
const ADDRESSES_V6 = [
  '::', '::1', '0:0:0:0:0:0:0:1', '::ffff:1.2.3.4', '::FFFF:102:304', '0:0:0:0:0:ffff:8.8.8.8', '::1.2.3.4', '64:ff9b::1.2.3.4', '2002:808:808::1',
  '2001:db8::1', '2001:DB8:0:0::1', 'fe80::1', '2606:4700:4700::1111', '1:0:0:2:0:0:0:3', '::ffff:0:1.2.3.4', 'ff02::1', 'fd00::1', '3fff::1', '2001::1',
]
const CHARACTERS = [...'abzAZ059.-_:[]%*/@ \\\t\n\0xX', '\u212A', '\u00E9', '\u{1F600}', '\uFEFF', '\u0085']
const PORTS = [443, 443, 443, 80, 22, 1, 8443, 65535, 4430, 0]
const SUFFIXES = ['', '', '', '', '', ':443', ':443', ':80', ':22', ':65535', ':65536', ':0', ':0443', ':', ':443:443', ':+1', ':1a', ': 443', ':99999', ':4430']

export class Generator {
  constructor(seed) {
    this.random = new Random(seed)
  }

  label() {
    const r = this.random
    return r.weighted([
      [20, () => r.pick(LABELS)],
      [1, () => r.pick(ODD_LABELS)],
      [2, () => String(r.below(300))],
      [1, () => 'l'.repeat(r.pick([62, 63, 64]))],
      [1, () => `xn--${this.letters(1, 8)}`],
      [2, () => this.letters(1, 6)],
    ])
  }

  letters(from, to) {
    const r = this.random
    return r.list(from, to, () => r.pick([...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-'])).join('')
  }

  name() {
    const r = this.random
    return r.list(1, 4, () => this.label()).join('.')
  }

  /** An IPv4 address in one of its many spellings, sometimes one too many. */
  ipv4() {
    const r = this.random
    if (r.chance(1, 2)) return r.pick(ADDRESSES)
    const count = r.pick([1, 2, 3, 4, 4, 4, 5])
    const part = (last) => {
      const number = last && count < 4 ? r.below(2 ** (8 * (5 - count))) : r.below(r.pick([10, 256, 256, 260]))
      return r.weighted([
        [6, () => String(number)],
        [2, () => `0x${number.toString(16)}`],
        [1, () => `0X${number.toString(16).toUpperCase()}`],
        [2, () => `0${number.toString(8)}`],
        [1, () => `00${number}`],
      ])
    }
    return Array.from({ length: count }, (_, at) => part(at === count - 1)).join('.')
  }

  ipv6() {
    const r = this.random
    if (r.chance(1, 2)) return r.pick(ADDRESSES_V6)
    const group = () => {
      const text = r.pick([0, 0, 0, 1, 0xffff, 0x102, 0x304, r.below(0x10000)]).toString(16)
      return r.weighted([[4, () => text], [1, () => text.toUpperCase()], [1, () => text.padStart(4, '0')]])
    }
    return r.weighted([
      [3, () => r.list(8, 8, group).join(':')],
      [4, () => `${r.list(0, 3, group).join(':')}::${r.list(0, 3, group).join(':')}`],
      [1, () => `::ffff:${this.ipv4()}`],
      [1, () => `${r.list(6, 6, group).join(':')}:${this.ipv4()}`],
      [1, () => `::${r.pick(['ffff:', 'FFFF:', '0:ffff:', 'ffff:0:'])}${group()}:${group()}`],
    ])
  }

  /** One character more, less or other. */
  damage(text) {
    const r = this.random
    const at = r.below(text.length + 1)
    const character = r.pick(CHARACTERS)
    return r.weighted([
      [2, () => text.slice(0, at) + character + text.slice(at)],
      [1, () => text.slice(0, at) + text.slice(at + 1)],
      [1, () => text.slice(0, at) + character + text.slice(at + 1)],
    ])
  }

  host() {
    const r = this.random
    let host = r.weighted([
      [10, () => this.name()],
      [5, () => this.ipv4()],
      [4, () => this.ipv6()],
      [1, () => `${this.name()}.${this.ipv4()}`],
    ])
    if (r.chance(1, 40)) host = `${'l'.repeat(63)}.${'m'.repeat(63)}.${'n'.repeat(63)}.${'o'.repeat(r.pick([59, 60, 61, 62, 63]))}`.slice(-r.pick([252, 253, 254, 255, 256]))
    if (r.chance(1, 5)) host += r.pick(['.', '.', '.', '..'])
    if (r.chance(1, 12)) host = `[${host}]`
    if (r.chance(1, 30)) host += r.pick(['%eth0', '%x.example.com', '%25a'])
    if (r.chance(1, 15)) host = this.damage(host)
    return host
  }

  /** A host that is below, equal to or near `name`. */
  near(name) {
    const r = this.random
    const bare = name.replace(/^\*\.?/, '').replace(/:\d*$/, '')
    return r.weighted([
      [4, () => bare],
      [2, () => `${this.label()}.${bare}`],
      [1, () => `${this.label()}${bare}`],
      [1, () => bare.toUpperCase()],
      [1, () => `${bare}.`],
      [1, () => bare.replace(/^\[|\]$/g, '')],
      [1, () => this.damage(bare)],
    ])
  }

  entry() {
    const r = this.random
    let entry = r.weighted([
      [8, () => this.name()],
      [6, () => `*.${this.name()}`],
      [3, () => this.ipv4()],
      [1, () => `*.${this.ipv4()}`],
      [2, () => `[${this.ipv6()}]`],
      [1, () => `[${this.ipv4()}]`],
      [1, () => `[${this.host()}]`],
      [1, () => this.ipv6()],
      [1, () => '*'],
      [1, () => 'localhost'],
    ])
    entry += r.pick(SUFFIXES)
    if (r.chance(1, 15)) entry = this.damage(entry)
    return entry
  }

  /** Mostly of entries that are good, so that decisions are not all those of the deny-all policy. */
  policy(isValid) {
    const r = this.random
    const list = (name) =>
      r.list(0, 4, () => {
        for (let tries = 0; tries < 8; tries += 1) {
          const entry = this.entry()
          if (isValid(entry, name)) return entry
        }
        return 'example.com'
      })
    const policy = { allowedDomains: list('allowedDomains'), deniedDomains: list('deniedDomains') }
    if (r.chance(1, 12)) policy[r.pick(['allowedDomains', 'deniedDomains'])].push(this.entry())
    return policy
  }

  destination(policy) {
    const r = this.random
    const entries = [...policy.allowedDomains, ...policy.deniedDomains]
    const host = entries.length > 0 && r.chance(2, 3) ? this.near(r.pick(entries)) : this.host()
    return { host, port: r.pick(PORTS) }
  }

  /** The JSON text of a policy, or of what is nearly one. */
  policyText(isValid) {
    const r = this.random
    const policy = this.policy(isValid)
    const text = JSON.stringify(policy)
    return r.weighted([
      [6, () => text],
      [1, () => text.replace('deniedDomains', r.pick(['deniedDomain', '__proto__', 'DENIEDDOMAINS', 'allowedDomains']))],
      [1, () => text.replace(/\]}$/, r.pick([',"\\ud800.a"]}', ',"a.\\udc00b"]}', ',"\\ud83d\\ude00.a"]}']))],
      [1, () => text.replace(/^{/, `{${r.pick(['"deniedDomains":1e400,', '"allowedDomains":[1e308],', '"deniedDomains":-1e999,', '"allowedDomains":["\\ud83d"],'])}`)],
      [1, () => `{"deniedDomains":${'['.repeat(r.pick([10, 126, 127, 130]))}${']'.repeat(r.pick([10, 126, 127, 130]))},${text.slice(1)}`],
      [1, () => JSON.stringify({ ...policy, [r.pick(['x', 'allowLocalBinding', 'strictAllowlist'])]: r.pick([true, null, 1]) })],
      [1, () => JSON.stringify({ ...policy, [r.pick(['allowedDomains', 'deniedDomains'])]: r.pick([null, 'a.b', {}, 7, ['a.b', 7], [null], [['a.b']], true]) })],
      [1, () => JSON.stringify(r.pick([null, [], 'allow', 1, [policy], {}, { allowedDomains: [] }]))],
      [1, () => this.damage(text)],
      [1, () => ` \n\t\r${text} `],
    ])
  }

  address() {
    const r = this.random
    let address = r.weighted([
      [3, () => this.ipv4()],
      [4, () => this.ipv6()],
      [2, () => r.list(4, 4, () => r.pick([0, 1, 2, 10, 63, 64, 88, 99, 100, 113, 127, 128, 168, 169, 172, 192, 198, 203, 223, 224, 254, 255, r.below(256)])).join('.')],
      [1, () => this.name()],
    ])
    if (r.chance(1, 20)) address += r.pick(['%eth0', '%1', '/8'])
    if (r.chance(1, 20)) address = `[${address}]`
    if (r.chance(1, 20)) address = this.damage(address)
    return address
  }

  /** How a value is made; the making itself is in `values.mjs`. */
  recipe(isValid) {
    const r = this.random
    const policy = this.policy(isValid)
    return {
      policy,
      way: r.pick([
        'plain', 'plain', 'null-prototype', 'inherited', 'inherited-list', 'getter', 'proxy', 'proxy-list', 'symbol', 'hidden', 'hidden-list', 'lone-surrogate',
        'array-like', 'hole', 'extra-on-array', 'boxed-string', 'instance', 'changing', 'to-json', 'subclassed-list', 'own-proto',
      ]),
    }
  }

  /** One case; `kind` says which functions it is for. */
  next(isValid) {
    const r = this.random
    return r.weighted([
      [24, () => ({ kind: 'host', host: this.host() })],
      [14, () => ({ kind: 'entry', list: r.pick(['allowedDomains', 'deniedDomains']), entry: this.entry() })],
      [16, () => {
        const entry = this.entry()
        return { kind: 'match', list: r.pick(['allowedDomains', 'deniedDomains']), entry, host: this.near(entry), port: r.pick(PORTS) }
      }],
      [6, () => {
        const entry = this.entry()
        return { kind: 'compat', entry, host: this.near(entry), port: r.pick(PORTS) }
      }],
      [24, () => {
        const network = this.policy(isValid)
        return { kind: 'decide', network, ...this.destination(network) }
      }],
      [7, () => ({ kind: 'text', text: this.policyText(isValid) })],
      [7, () => ({ kind: 'address', address: this.address() })],
      [3, () => ({ kind: 'value', ...this.recipe(isValid) })],
      [5, () => {
        const network = this.policy(isValid)
        if (r.chance(1, 60)) network.deniedDomains.push(...r.list(300, 420, () => `${'d'.repeat(40)}.example`))
        const { host, port } = this.destination(network)
        return { kind: 'supervise', network, host, port: port || 1, recheck: r.chance(5, 6), answer: r.pick(['allow', 'deny']) }
      }],
    ])
  }
}
