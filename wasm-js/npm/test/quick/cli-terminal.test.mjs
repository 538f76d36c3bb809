import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { installed, project, temporary } from '../package.mjs'

const program = join(project, 'node_modules/.bin/pi-sandbox-policy')
const home = mkdtempSync(join(temporary, 'home-'))
const file = join(home, 'policy.json')
writeFileSync(file, `{ "network": { "allowedDomains": ["a.b", "a.b:0"${' '.repeat(200)}] } }`)

const environment = (more) => ({ PATH: process.env.PATH, HOME: home, TERM: 'xterm', ...more })
const piped = (args, more) => spawnSync(program, args, { encoding: 'utf8', env: environment(more) })

/** What a terminal of so many columns is sent. */
function onTerminal(args, more = {}, columns = 80) {
  const command = `stty cols ${columns}; ${[program, ...args].join(' ')}`
  return spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8', input: '', env: environment(more) }).stdout
}

test('the version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const option of ['--version', '-v']) assert.equal(piped([option]).stdout, `${version}\n`)
})

test('colour is for terminals, unless the environment says otherwise', () => {
  const red = '\u001B[31merror[entry-port]\u001B[0m: '
  const coloured = (output) => {
    assert.ok(output.includes('error[entry-port]'))
    assert.equal(output.includes(red), output.includes('\u001B'))
    return output.includes(red)
  }
  const check = ['check', file]
  assert.equal(coloured(onTerminal(check)), true)
  assert.equal(coloured(onTerminal(check, { NO_COLOR: '' })), true)
  assert.equal(coloured(onTerminal(check, { NO_COLOR: '1' })), false)
  assert.equal(coloured(onTerminal(check, { TERM: 'dumb' })), false)
  assert.equal(coloured(onTerminal(check, { FORCE_COLOR: '0' })), false)
  assert.equal(coloured(piped(check).stdout), false)
  assert.equal(coloured(piped(check, { FORCE_COLOR: '' }).stdout), false)
  assert.equal(coloured(piped(check, { FORCE_COLOR: '1' }).stdout), true)
  assert.equal(coloured(piped(check, { FORCE_COLOR: '1', NO_COLOR: '1' }).stdout), true)
  // Not a word of it where a program reads.
  assert.ok(!onTerminal([...check, '--json']).includes('\u001B'))
  assert.ok(!piped([...check, '--json'], { FORCE_COLOR: '1' }).stdout.includes('\u001B'))
})

test('source lines fit the terminal', () => {
  for (const columns of [40, 80, 140]) {
    const lines = onTerminal(['check', file], { NO_COLOR: '1' }, columns).split(/\r?\n/)
    const source = lines.find((line) => line.startsWith('1 | '))
    const carets = lines.find((line) => line.includes('^'))
    assert.equal([...source].length, columns)
    assert.equal(source[carets.indexOf('^')], '0')
  }
})
