// Policies, and what is asked of each: destinations that come near its entries, and hosts in every odd spelling.

import { NetworkPolicy } from 'pi-sandbox-policy'

const lists = (allowedDomains, deniedDomains) => ({ allowedDomains, deniedDomains })

const CONFIGURATION = `{
  "network": {
    "allowedDomains": ["api.github.com", "*.githubusercontent.com", "registry.npmjs.org:443", "1.1.1.1", "*.Upper.Example"],
    "deniedDomains": ["gist.githubusercontent.com", "*.tracker.example", "upper.example:22"]
  }
}`

/** Names and what `network` is in the reply to a registration. */
export const POLICIES = {
  'denies everything': lists([], ['*']),
  'lists nothing': lists([], []),
  'a configuration file': NetworkPolicy.fromConfig(CONFIGURATION).toJSON(),
  'everything denied beside something allowed': lists(['a.example', '*.b.example:443'], ['z.example', '*']),
  'as long as a reply can hold': longest(),
}

/** Lists of which the JSON has nearly the 15,360 bytes that there may be. */
function longest() {
  const allowed = Array.from({ length: 400 }, (_, number) => `${number % 3 === 0 ? '*.' : ''}host-${number}.example`)
  const denied = Array.from({ length: 280 }, (_, number) => `d${number}.host-${number}.example${number % 2 === 0 ? ':443' : ''}`)
  return lists(allowed, denied)
}

const PORTS = [443, 80, 65_535]
/** No more entries of a list than these are come near to. */
const NEAR = 12

export function destinations({ allowedDomains, deniedDomains }) {
  const sample = (entries) => entries.filter((_, at) => at % Math.ceil(entries.length / NEAR) === 0)
  const near = [...sample(allowedDomains), ...sample(deniedDomains)].flatMap((entry) => {
    const [host] = entry.split(':')
    const name = host.startsWith('*.') ? host.slice(2) : host
    return [name, `sub.${name}`, `a.b.${name}.`, `evil${name}`, name.toUpperCase(), `${name}.attacker.net`]
  })
  return [
    ...near.flatMap((host) => PORTS.map((port) => [host, port])),
    ...ODD.flatMap((host, at) => [
      [host, 443],
      [host, PORTS[at % PORTS.length]],
    ]),
    ...[0, 1, 22, 8_443, 65_535].flatMap((port) => ['api.github.com', 'elsewhere.example', 'upper.example'].map((host) => [host, port])),
  ]
}

const label = 'a'.repeat(63)
const ODD = [
  // Addresses in every spelling.
  ...['127.0.0.1', '127.1', '0x7f.1', '0x7f.0.0.1', '2130706433', '0177.0.0.1', '017700000001', '0X7F000001', '127.0.0.1.'],
  ...['1.1.1.1', '0x1.1.257', '16843009', '8.8.8.8', '10.0.0.1', '169.254.169.254', '256.1.1.1', '1.2.3.4.5', '1.2.3', '0.0.0.0'],
  ...['::1', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:1.1.1.1', '[::ffff:101:101]', '::ffff:0a00:1', 'fe80::1%eth0', '[fe80::1%25lo]'],
  ...['2606:4700:4700::1111', '[2606:4700:4700::1111]', '64:ff9b::7f00:1', '2002:7f00:1::', '::', '[::', '::1]', '[]', ':::1'],
  // Names at the limits of what is one.
  ...['example.com', 'EXAMPLE.com', 'example.com.', 'example.com..', '.example.com', 'a..example', '.', '..', '', ' ', 'com', 'com.'],
  ...['localhost', 'LOCALHOST.', 'a.localhost', 'host.local', 'a_b.example', '_dns.example.com', '-a.example', 'a-.example', 'a--b.example'],
  ...['xn--bcher-kva.example', 'xn--a', '1a.example', 'a.1', 'a.0x1', '123.example', 'example.123'],
  ...[`${label}.example`, `${label}a.example`, `${label}.${label}.${label}.${label.slice(2)}`, `${label}.${label}.${label}.${label.slice(2)}.`],
  ...[`${label}.${label}.${label}.${label.slice(1)}`, 'a.'.repeat(126) + 'a', 'a.'.repeat(127) + 'a', 'a'.repeat(255), 'a'.repeat(256), 'b.'.repeat(5_000)],
  // What is no host.
  ...['a b', 'a\tb.example', 'a\n.example', 'a\r\n.example', 'a\0.example', 'a\u001f.example', 'a\u007f.example', 'user@example.com', 'example.com/x'],
  ...['https://example.com', 'example.com:443', '*.example.com', '*', 'a,b', 'a"b', "a'b", 'a\\b', '<a>', '%61.example', 'a%2eexample', '{}', '[a.example]'],
  // Other characters, also such as are folded, cut or end a line elsewhere.
  ...['bücher.example', 'example。com', 'ｅxample.com', 'exa\u00admple.com', '\u200bexample.com', 'example.com\u200d', 'ſ.example', 'K.example'],
  ...['İ.example', 'ß.example', 'a\u0301.example', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'а.example', '😀.example', '١.example', '\ufeffexample.com', '\ufffd'],
]
