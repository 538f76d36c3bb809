import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

import { load, temporary } from '../package.mjs'

const { policy: api, compat } = await load()
const { parsePiSandboxConfig, loadPiSandboxConfig, DEFAULT_PI_SANDBOX_CONFIG } = compat

const DEFAULTS = {
  subagents: { provider: 'builtin', externalWorkerIsolation: 'off' },
  filesystem: { additionalAllowRead: [] },
  network: { allowedDomains: [], deniedDomains: [] },
  hostIPC: { mode: 'off', preflightCommandPrefixes: [], retryOnUnixSocketError: false },
}

test('constants', () => {
  assert.deepEqual(compat.SUBAGENT_PROVIDERS, ['builtin', 'pi-subagents', 'off'])
  assert.deepEqual(compat.HOST_IPC_MODES, ['off', 'ask'])
  assert.deepEqual(DEFAULT_PI_SANDBOX_CONFIG, DEFAULTS)
  assert.deepEqual(DEFAULT_PI_SANDBOX_CONFIG, api.parseConfig('{}'))
  const frozen = (value) => typeof value !== 'object' || (Object.isFrozen(value) && Object.values(value).every(frozen))
  assert.ok(frozen(DEFAULT_PI_SANDBOX_CONFIG))
})

test('values are judged as their text is', () => {
  const path = 'filesystem.additionalAllowRead must be an array of absolute paths'
  for (const [value, message] of [
    [undefined, 'root must be an object'],
    [null, 'root must be an object'],
    [[], 'root must be an object'],
    ['{}', 'root must be an object'],
    [() => ({}), 'root must be an object'],
    [Symbol('s'), 'root must be an object'],
    [1n, 'root must be an object'],
    [{ zz: undefined, a: 1, 2: 0, 1: 0 }, 'unknown root keys: 1, 2, zz, a'],
    [new String('ab'), 'unknown root keys: 0, 1'],
    [{ subagents: null }, 'subagents must be an object'],
    [{ subagents: [] }, 'subagents must be an object'],
    [{ subagents: () => ({}) }, 'subagents must be an object'],
    [{ subagents: { provider: NaN } }, 'subagents.provider must be one of builtin, pi-subagents, off'],
    [{ subagents: { provider: new String('off') } }, 'subagents.provider must be one of builtin, pi-subagents, off'],
    [{ subagents: { externalWorkerIsolation: true } }, 'subagents.externalWorkerIsolation must be off or enforce'],
    [{ filesystem: { additionalAllowRead: ['a'] } }, path],
    [{ filesystem: { additionalAllowRead: new Set(['/a']) } }, path],
    [{ filesystem: { additionalAllowRead: ['/a', , '/b'] } }, path],
    [{ network: new Map(), filesystem: { x: 1 } }, 'unknown filesystem key: x'],
    [{ network: { allowedDomains: ['a.b', ' a.b ', '*'] } }, 'network.allowedDomains[1] contains an invalid domain pattern'],
    [{ network: { allowedDomains: [1] } }, 'network.allowedDomains must be an array of non-empty strings'],
    [{ network: { allowedDomains: [' '] } }, 'network.allowedDomains must be an array of non-empty strings'],
    [{ network: { deniedDomains: 'a.b' } }, 'network.deniedDomains must be an array of non-empty strings'],
    [{ hostIPC: { mode: 'always' } }, 'hostIPC.mode must be one of off, ask'],
    [{ hostIPC: { preflightCommandPrefixes: [''] } }, 'hostIPC.preflightCommandPrefixes must be an array of non-empty strings'],
    [{ hostIPC: { retryOnUnixSocketError: 0 } }, 'hostIPC.retryOnUnixSocketError must be a boolean'],
    [{ hostIPC: { retryOnUnixSocketError: new Boolean(true) } }, 'hostIPC.retryOnUnixSocketError must be a boolean'],
  ]) {
    assert.throws(
      () => parsePiSandboxConfig(value),
      (error) => error instanceof Error && error.message === `invalid pi-sandbox configuration: ${message}`,
      message,
    )
  }
})

test('what says nothing is the default', () => {
  for (const value of [
    {},
    Object.create(null),
    new Map([['network', 1]]),
    new Date(),
    Object.freeze({}),
    { [Symbol('s')]: 1 },
    { subagents: undefined, filesystem: undefined, network: undefined, hostIPC: undefined },
    { network: { allowedDomains: undefined, deniedDomains: null }, hostIPC: { mode: null } },
    { subagents: { provider: undefined }, filesystem: { additionalAllowRead: null } },
  ]) {
    assert.deepEqual(parsePiSandboxConfig(value), DEFAULTS)
  }
})

test('a full configuration, normalised, and nothing shared with it', () => {
  const input = {
    subagents: { provider: 'off', externalWorkerIsolation: 'enforce' },
    filesystem: { additionalAllowRead: ['/a', '/a', '/b '] },
    network: { allowedDomains: [' A.b ', 'A.b', 'a.b'], deniedDomains: ['*', '*:22'] },
    hostIPC: { mode: 'ask', preflightCommandPrefixes: [' tmux ', 'tmux', 'git push'], retryOnUnixSocketError: true },
  }
  const expected = {
    subagents: { provider: 'off', externalWorkerIsolation: 'enforce' },
    filesystem: { additionalAllowRead: ['/a', '/b '] },
    network: { allowedDomains: ['A.b', 'a.b'], deniedDomains: ['*', '*:22'] },
    hostIPC: { mode: 'ask', preflightCommandPrefixes: ['tmux', 'git push'], retryOnUnixSocketError: true },
  }
  const first = parsePiSandboxConfig(input)
  assert.deepEqual(first, expected)
  input.network.allowedDomains.push('later.example')
  first.network.allowedDomains.push('mine.example')
  input.network.allowedDomains.pop()
  assert.deepEqual(parsePiSandboxConfig(input), expected)
  const frozen = Object.freeze({ network: Object.freeze({ allowedDomains: Object.freeze(['a.b']) }) })
  parsePiSandboxConfig(frozen).network.allowedDomains.push('c.d')
})

test('a value and its text give the same', () => {
  const values = [
    { network: { allowedDomains: ['a.b'], deniedDomains: ['x'] }, zz: 1 },
    { hostIPC: { mode: 'ask', z: 1, 10: 1, 9: 1 } },
    { filesystem: { additionalAllowRead: ['/é', '/😀', '/"\\\n'] } },
    JSON.parse('{"__proto__":{"network":1}}'),
    { network: { deniedDomains: ['*.a.b:443', '1.2.3.4', 'bücher.example'] } },
  ]
  const outcome = (read) => {
    try {
      return read()
    } catch (error) {
      return error.message
    }
  }
  for (const value of values) {
    assert.deepEqual(
      outcome(() => parsePiSandboxConfig(value)),
      outcome(() => api.parseConfig(JSON.stringify(value))),
    )
  }
})

test('paths', () => {
  assert.equal(compat.getPiSandboxConfigPath('/home/u'), '/home/u/.pi/agent/extensions/pi-sandbox/config.json')
  assert.equal(compat.getLegacyPiSandboxConfigPath('/home/u'), '/home/u/.pi/agent/pi-sandbox.json')
  assert.equal(compat.getPiSandboxConfigPath(), join(homedir(), '.pi/agent/extensions/pi-sandbox/config.json'))
})

function withHome(use) {
  const home = mkdtempSync(join(temporary, 'home-'))
  const write = (path, content) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  try {
    use({ home, write, modern: compat.getPiSandboxConfigPath(home), legacy: compat.getLegacyPiSandboxConfigPath(home) })
  } finally {
    rmSync(home, { recursive: true })
  }
}

const provider = (name) => JSON.stringify({ subagents: { provider: name } })

test('the trusted file, then the legacy file, then the defaults', () => {
  withHome(({ home, write, modern, legacy }) => {
    const first = loadPiSandboxConfig({ home })
    assert.deepEqual(first, DEFAULTS)
    first.network.allowedDomains.push('mine.example')
    assert.deepEqual(loadPiSandboxConfig({ home }), DEFAULTS)
    write(legacy, provider('pi-subagents'))
    assert.equal(loadPiSandboxConfig({ home }).subagents.provider, 'pi-subagents')
    write(modern, provider('off'))
    assert.equal(loadPiSandboxConfig({ home }).subagents.provider, 'off')
  })
})

test('a path that is given is the only one', () => {
  withHome(({ home, write, legacy }) => {
    write(legacy, provider('off'))
    assert.deepEqual(loadPiSandboxConfig({ path: join(home, 'missing.json'), home }), DEFAULTS)
    assert.equal(loadPiSandboxConfig({ path: legacy }).subagents.provider, 'off')
  })
})

test('a file that is there and wrong is an error, never the legacy file nor the defaults', () => {
  withHome(({ home, write, modern, legacy }) => {
    write(legacy, provider('off'))
    write(modern, '{"subagents":')
    assert.throws(() => loadPiSandboxConfig({ home }), {
      name: 'ConfigError',
      message: `invalid JSON in pi-sandbox configuration at ${modern}`,
      line: 1,
      column: 14,
    })
    write(modern, '\ufeff{}')
    assert.throws(() => loadPiSandboxConfig({ home }), /^ConfigError: invalid JSON in pi-sandbox configuration at /)
    write(modern, '[]')
    assert.throws(() => loadPiSandboxConfig({ home }), { message: 'invalid pi-sandbox configuration: root must be an object' })
    write(modern, Buffer.from('{"filesystem":{"additionalAllowRead":["/\xff"]}}', 'latin1'))
    assert.throws(() => loadPiSandboxConfig({ home }), {
      message: `pi-sandbox configuration at ${modern} is not UTF-8: byte 40`,
    })
    rmSync(modern)
    mkdirSync(modern)
    assert.throws(
      () => loadPiSandboxConfig({ home }),
      (error) => error.message === `failed to read pi-sandbox configuration at ${modern}` && error.cause.code === 'EISDIR',
    )
    rmSync(modern, { recursive: true })
    symlinkSync(modern, modern)
    assert.throws(() => loadPiSandboxConfig({ home }), /failed to read/)
    rmSync(modern)
    // A link that leads nowhere is not the same as no file.
    symlinkSync(join(home, 'gone.json'), modern)
    for (const options of [{ home }, { path: modern }]) {
      assert.throws(
        () => loadPiSandboxConfig(options),
        (error) => error.message === `failed to read pi-sandbox configuration at ${modern}` && error.cause.code === 'ENOENT',
      )
    }
    rmSync(dirname(modern), { recursive: true })
    writeFileSync(dirname(modern), '')
    assert.throws(() => loadPiSandboxConfig({ home }), /failed to read/)
  })
})

test('a home that is no absolute path would be the project: an error', () => {
  for (const home of ['', '.', 'home/u']) assert.throws(() => loadPiSandboxConfig({ home }), /no trusted place/)
})
