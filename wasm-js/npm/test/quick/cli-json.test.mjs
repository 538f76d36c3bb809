// With --json the program says all that the package says, in its words.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { load, project, temporary } from '../package.mjs'

const { policy: api, compat } = await load()
const here = dirname(fileURLToPath(import.meta.url))
const core = join(here, '../../../../policy-core')
const program = join(project, 'node_modules/.bin/pi-sandbox-policy')
const home = mkdtempSync(join(temporary, 'home-'))
const directory = mkdtempSync(join(temporary, 'project-'))

const inputs = Object.fromEntries(
  ['good', 'infos', 'lints', 'errors', 'wide', 'wider'].map((name) => {
    const file = join(here, `cli/files/${name}.json`)
    return [name, { file, text: readFileSync(file, 'utf8') }]
  }),
)

function json(...args) {
  const { stdout, stderr } = spawnSync(program, [...args, '--json'], {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home },
  })
  assert.equal(stderr, '')
  assert.ok(stdout.endsWith('\n'))
  const answers = stdout.trimEnd().split('\n').map((line) => JSON.parse(line))
  return answers.length === 1 ? answers[0] : answers
}

const plain = (value) => JSON.parse(JSON.stringify(value))

test('check and lint', () => {
  for (const { file, text } of Object.values(inputs)) {
    const { policy, ...answer } = json('check', file)
    const expected = plain(api.validateConfig(text))
    assert.deepEqual(answer, { file, ...expected })
    assert.deepEqual(json('lint', file), { file, ...expected, policy })
    if (!expected.valid) assert.equal(policy, null)
    else {
      const { fingerprint, allowedDomains, deniedDomains } = api.NetworkPolicy.fromConfig(text)
      assert.deepEqual(policy, { fingerprint, allowedDomains: allowedDomains.length, deniedDomains: deniedDomains.length })
    }
  }
})

test('explain', () => {
  const { file, text } = inputs.lints
  const policy = api.NetworkPolicy.fromConfig(text)
  const located = (rules) => rules.map((rule) => ({ ...rule, place: api.locateEntry(text, rule.list, rule.index) ?? null }))
  const destinations = [['pypi.org', 443], ['gist.github.com', 443], ['GITHUB.com.', 80], ['0x7f.1', 22], ['a b', 443]]
  const answers = json('explain', ...destinations.map(([host, port]) => `${host}:${port}`), '--config', file)
  for (const [index, [host, port]] of destinations.entries()) {
    const { matches, misses, ...rest } = policy.explain(host, port)
    const expected = { asked: `${host}:${port}`, ...rest, matches: located(matches), misses: located(misses) }
    assert.deepEqual(answers[index], plain(expected))
  }
})

test('compare', () => {
  const [older, newer] = [inputs.good, inputs.wider]
  const policies = [older, newer].map(({ text }) => api.NetworkPolicy.fromConfig(text))
  const answer = json('compare', older.file, newer.file)
  const { relation, wider, narrower } = api.compare(...policies)
  assert.equal(answer.relation, relation)
  const witnesses = (list) => list.map(({ oldEntry, newEntry, ...witness }) => witness)
  assert.deepEqual([witnesses(answer.wider), witnesses(answer.narrower)], plain([wider, narrower]))
  assert.ok(wider.length > 0)
  for (const [side, { file, text }, entry] of [['old', older, 'oldEntry'], ['new', newer, 'newEntry']]) {
    const policy = api.NetworkPolicy.fromConfig(text)
    assert.deepEqual(answer[side], { file, fingerprint: policy.fingerprint })
    for (const witness of [...answer.wider, ...answer.narrower]) {
      const { reason, list, index, pattern } = policy.decide(witness.host, witness.port)
      const expected = reason === 'rule' ? { list, index, pattern, place: plain(api.locateEntry(text, list, index)) } : null
      assert.deepEqual(witness[entry], expected)
    }
  }
})

test('schema', () => {
  assert.deepEqual(json('schema'), JSON.parse(readFileSync(join(core, 'schema/config.schema.json'), 'utf8')))
  assert.deepEqual(json('schema'), api.configSchema())
})

test('an invalid configuration is told whatever was asked', () => {
  const { file, text } = inputs.errors
  const expected = { file, ...plain(api.validateConfig(text)) }
  for (const args of [['fingerprint', file], ['explain', 'a.b', '--config', file], ['compare', file, file]]) {
    assert.deepEqual(json(...args), expected)
  }
})

test('without a file the trusted one is read, never one of the current directory', () => {
  const fingerprint = (text) => api.NetworkPolicy.fromConfig(text).fingerprint
  const write = (file, text) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  write(compat.getPiSandboxConfigPath(directory), inputs.wider.text)
  assert.deepEqual(json('fingerprint'), { file: null, fingerprint: fingerprint('{}') })
  const legacy = compat.getLegacyPiSandboxConfigPath(home)
  write(legacy, inputs.good.text)
  assert.deepEqual(json('fingerprint'), { file: legacy, fingerprint: fingerprint(inputs.good.text) })
  const trusted = compat.getPiSandboxConfigPath(home)
  write(trusted, inputs.lints.text)
  assert.deepEqual(json('fingerprint'), { file: trusted, fingerprint: fingerprint(inputs.lints.text) })
})

test('every lint is explained', () => {
  const codes = new Set(
    readFileSync(join(core, 'vectors/lint.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .flatMap((line) => JSON.parse(line).expect.diagnostics)
      .filter(({ severity }) => severity !== 'error')
      .map(({ code }) => code),
  )
  assert.ok(codes.size > 5)
  for (const code of codes) {
    const { text } = json('lint', '--explain', code)
    assert.match(text, /^[A-Z`][^]*\n\nTo fix: /, code)
    assert.doesNotMatch(text, /\*\*|\*To|LINT-\d|^\S.{80}/m, code)
  }
})
