import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

import { installed, load, project, temporary } from '../package.mjs'

const { policy: api, compat } = await load()
const program = join(project, 'node_modules/.bin/pi-sandbox-policy')
const home = mkdtempSync(join(temporary, 'home-'))

function run(args, env = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: temporary,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home, ...env },
  })
  return { status, stdout, stderr }
}

function file(name, content) {
  const path = join(temporary, name)
  writeFileSync(path, content)
  return path
}

const policyText = JSON.stringify({ network: { allowedDomains: ['*.github.com'], deniedDomains: ['gist.github.com'] } })
const good = file('good.json', policyText)
const broken = file('broken.json', '{\n  "network": { "allowedDomains": ["é.b",] }\n}\n')
const wrong = file('wrong.json', '{"a\\u001b[31mb":1}')

test('help and version', () => {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  assert.deepEqual(run(['--version']), { status: 0, stdout: `${version}\n`, stderr: '' })
  const help = run(['--help'])
  assert.equal(help.status, 0)
  assert.match(help.stdout, /usage: pi-sandbox-policy COMMAND/)
  assert.deepEqual(run(['help']), help)
  for (const name of ['check', 'explain', 'fingerprint']) {
    assert.match(help.stdout, new RegExp(`^  ${name} `, 'm'))
    const own = run([name, '--help'])
    assert.equal(own.status, 0)
    assert.ok(own.stdout.startsWith(`usage: pi-sandbox-policy ${name} `))
    assert.deepEqual(run(['help', name]), own)
  }
})

test('what is not understood exits with 2 and says what to type', () => {
  for (const [args, expected] of [
    [[], /usage: /],
    [['frobnicate'], /no command "frobnicate"[^]*check, explain, fingerprint/],
    [['check', '--frob'], /--frob[^]*usage: pi-sandbox-policy check/],
    [['check', 'a', 'b'], /one file[^]*usage: /],
    [['check', join(temporary, 'none.json')], /there is no file /],
    [['explain'], /needs a destination[^]*usage: /],
    [['explain', 'a.b:0'], /"0" in "a.b:0" is no port[^]*65535/],
    [['explain', 'a.b:70000'], /no port/],
    [['explain', '[::1]:x'], /no port/],
    [['explain', 'a.b', '--config'], /--config/],
  ]) {
    const { status, stdout, stderr } = run(args)
    assert.equal(status, 2, args.join(' '))
    assert.equal(stdout, '')
    assert.match(stderr, expected)
  }
})

test('check', () => {
  const { fingerprint } = api.NetworkPolicy.fromConfig(policyText)
  assert.deepEqual(run(['check', good]), {
    status: 0,
    stdout: `valid  ${good}\n       1 allowed, 1 denied, ${fingerprint}\n`,
    stderr: '',
  })
  assert.deepEqual(JSON.parse(run(['check', good, '--json']).stdout), {
    valid: true,
    path: good,
    fingerprint,
    allowedDomains: 1,
    deniedDomains: 1,
  })
  const place = { line: 2, column: 41, offset: 43 }
  assert.deepEqual(run(['check', broken]), {
    status: 1,
    stdout: '',
    stderr: `error: invalid JSON
 --> ${broken}:2:41
  |
2 |   "network": { "allowedDomains": ["é.b",] }
  |                                         ^
`,
  })
  const json = run(['check', broken, '--json'])
  assert.equal(json.status, 1)
  assert.deepEqual(JSON.parse(json.stdout), { valid: false, path: broken, error: { message: 'invalid JSON', ...place } })
})

test('what a file holds cannot drive the terminal', () => {
  const { status, stderr } = run(['check', wrong])
  assert.equal(status, 1)
  assert.ok(!stderr.includes('\u001b') && stderr.includes('a\\u{1b}[31mb'))
  const explained = run(['explain', 'a\u202eb', 'a\nb'])
  assert.equal(explained.status, 1)
  assert.ok(!explained.stdout.includes('\u202e'))
  assert.equal(explained.stdout.split('\n').length, 3)
})

test('explain names the rule, and exits with the worst answer', () => {
  const { status, stdout } = run(['explain', '--config', good, 'API.github.com', 'gist.github.com:22', 'pypi.org', '127.1', '::1', '[::1]:80', 'a b'])
  assert.equal(status, 1)
  assert.equal(
    stdout,
    `allow   API.github.com      api.github.com:443 matches allowedDomains[0] "*.github.com"
deny    gist.github.com:22  gist.github.com:22 matches deniedDomains[0] "gist.github.com"
review  pypi.org            pypi.org:443 matches no rule: somebody has to approve this connection
deny    127.1               127.0.0.1:443 matches no rule and is no public hostname
deny    ::1                 [::1]:443 matches no rule and is no public hostname
deny    [::1]:80            [::1]:80 matches no rule and is no public hostname
deny    a b                 this is no host
`,
  )
  assert.equal(run(['explain', '--config', good, 'api.github.com']).status, 0)
  assert.equal(run(['explain', '--config', good, 'api.github.com', 'pypi.org']).status, 3)
  const json = run(['explain', '--config', good, '--json', 'api.github.com', 'pypi.org:22'])
  assert.equal(json.status, 3)
  const policy = api.NetworkPolicy.fromConfig(policyText)
  assert.deepEqual(json.stdout.trimEnd().split('\n').map((line) => JSON.parse(line)), [
    { asked: 'api.github.com', decision: policy.decide('api.github.com', 443) },
    { asked: 'pypi.org:22', decision: policy.decide('pypi.org', 22) },
  ])
  assert.equal(run(['explain', 'a.b', '--config', broken]).status, 1)
})

test('without a file the trusted one is read, never the current folder', () => {
  const defaults = api.NetworkPolicy.fromConfig('{}').fingerprint
  const trusted = compat.getPiSandboxConfigPath(home)
  mkdirSync(join(temporary, '.pi/agent'), { recursive: true })
  writeFileSync(join(temporary, '.pi/agent/pi-sandbox.json'), policyText)
  assert.deepEqual(run(['fingerprint']), { status: 0, stdout: `${defaults}\n`, stderr: '' })
  assert.deepEqual(JSON.parse(run(['fingerprint', '--json']).stdout), { path: null, fingerprint: defaults })
  assert.match(run(['check']).stdout, /the defaults/)
  assert.equal(run(['check'], { HOME: '' }).status, 1)
  mkdirSync(dirname(trusted), { recursive: true })
  writeFileSync(trusted, policyText)
  const { fingerprint } = api.NetworkPolicy.fromConfig(policyText)
  assert.deepEqual(JSON.parse(run(['fingerprint', '--json']).stdout), { path: trusted, fingerprint })
  assert.equal(run(['explain', 'api.github.com']).status, 0)
})

test('colour on a terminal alone, and not with NO_COLOR', () => {
  const onTerminal = (env) =>
    spawnSync('script', ['-qec', `${program} explain --config ${good} api.github.com`, '/dev/null'], {
      encoding: 'utf8',
      input: '',
      env: { PATH: process.env.PATH, HOME: home, TERM: 'xterm', ...env },
    }).stdout
  assert.ok(onTerminal({}).includes('\u001b[32mallow'))
  assert.ok(!onTerminal({ NO_COLOR: '1' }).includes('\u001b['))
  assert.ok(!run(['explain', '--config', good, 'api.github.com']).stdout.includes('\u001b'))
})
