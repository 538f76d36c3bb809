import assert from 'node:assert/strict'
import { test } from 'node:test'

import { MOST_LINES, readDestinations } from '../../src/destination.js'

const read = (line: string) => {
  const [found] = readDestinations(line).lines
  if (found === undefined) return undefined
  return 'problem' in found ? found.problem : [found.host, found.port, ...found.notes]
}

test('host and port', () => {
  assert.deepEqual(read('github.com:443'), ['github.com', 443])
  assert.deepEqual(read('  github.com:65535\t'), ['github.com', 65535])
  assert.deepEqual(read('[::1]:8080'), ['[::1]', 8080])
  assert.deepEqual(read('[fe80::1%25eth0]:1'), ['[fe80::1%25eth0]', 1])
})

test('without a port it is 443, and that is said', () => {
  assert.deepEqual(read('github.com'), ['github.com', 443, 'port 443 assumed'])
  assert.deepEqual(read('[::1]'), ['[::1]', 443, 'port 443 assumed'])
  assert.deepEqual(read('::1'), ['::1', 443, 'port 443 assumed'])
  assert.deepEqual(read('::ffff:1.2.3.4'), ['::ffff:1.2.3.4', 443, 'port 443 assumed'])
})

test('the host is left as it is: what it means is not for the page to say', () => {
  assert.deepEqual(read('GitHub.COM.:443'), ['GitHub.COM.', 443])
  assert.deepEqual(read('0x7f.1:80'), ['0x7f.1', 80])
  assert.deepEqual(read('user@host:80'), ['user@host', 80])
  assert.deepEqual(read('https://BÜCHER.example'), ['BÜCHER.example', 443, 'port 443 of https'])
  assert.deepEqual(read('https://%67ithub.com'), ['%67ithub.com', 443, 'port 443 of https'])
  assert.deepEqual(read('https://0X7F.1/'), ['0X7F.1', 443, 'port 443 of https'])
})

test('what is no port is said, and nothing is decided', () => {
  for (const port of ['0', '65536', '65979', '0443', '443.9', '+443', '-1', '4e2', '٤٤٣', 'https']) {
    assert.equal(read(`github.com:${port}`), `\`${port}\` is no port: a port is a number from 1 to 65535`)
    assert.equal(read(`https://github.com:${port}/`), `\`${port}\` is no port: a port is a number from 1 to 65535`)
  }
  assert.equal(read('github.com:'), 'there is no port behind the `:`')
})

test('a URL is reduced to host and port, and what was left out is said', () => {
  assert.deepEqual(read('https://github.com'), ['github.com', 443, 'port 443 of https'])
  assert.deepEqual(read('http://github.com/'), ['github.com', 80, 'port 80 of http'])
  assert.deepEqual(read('WSS://github.com:/x?y'), ['github.com', 443, '`/x?y` left out', 'port 443 of wss'])
  assert.deepEqual(read('https://me:pw@github.com:8443/a/b#c'), ['github.com', 8443, 'user name left out', '`/a/b#c` left out'])
  assert.deepEqual(read('ssh://git@github.com/x.git'), ['github.com', 22, 'user name left out', '`/x.git` left out', 'port 22 of ssh'])
  assert.deepEqual(read('https://[::1]:8080/'), ['[::1]', 8080])
  assert.deepEqual(read('https://[::1]'), ['[::1]', 443, 'port 443 of https'])
  assert.deepEqual(read('https://a.com?b@evil.com'), ['a.com', 443, '`?b@evil.com` left out', 'port 443 of https'])
  assert.deepEqual(read('github.com/a:b'), ['github.com', 443, '`/a:b` left out', 'port 443 assumed'])
})

test('a URL that programs read differently is not cut at all', () => {
  assert.match(String(read('https://good.com\\@evil.com')), /programs disagree/)
  assert.match(String(read('https://good.com\u0009.evil.com')), /programs disagree/)
  assert.match(String(read('https://a@good.com@evil.com')), /programs disagree/)
})

test('a URL without a host or with an unknown port is said', () => {
  assert.equal(read('file:///etc/passwd'), 'this URL has no host')
  assert.equal(read('https://user@/x'), 'this URL has no host')
  assert.equal(read('gopher://a.com'), 'no port is known for `gopher://`: write host:port')
  assert.deepEqual(read('gopher://a.com:70'), ['a.com', 70])
  assert.equal(read('://a.com'), 'this is neither a URL nor host:port')
  assert.equal(read('10.0.0.0/8'), 'this is a range of addresses: ask about one address, such as 10.0.0.1:443')
})

test('what has blanks in it is asked as it is, with a hint', () => {
  assert.deepEqual(read('a.com, b.com'), ['a.com, b.com', 443, 'write one destination on each line'])
})

test('half of a surrogate pair is not asked about', () => {
  assert.equal(read('a\ud800.com:443'), 'half of a UTF-16 surrogate pair is no character')
})

test('blank lines do not count, and there is a limit', () => {
  assert.deepEqual(readDestinations('\n \r\n\t\n'), { lines: [], omitted: 0 })
  assert.deepEqual(readDestinations('# a.com:1\n  #b.com\n'), { lines: [], omitted: 0 })
  const { lines, omitted } = readDestinations('a.com:1\r\n'.repeat(MOST_LINES + 3))
  assert.equal(lines.length, MOST_LINES)
  assert.equal(omitted, 3)
})
