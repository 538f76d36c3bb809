import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { project, temporary } from '../package.mjs'
import { scripts, toolRequire } from './tools.mjs'

const USAGE = `
const policy: NetworkPolicy = NetworkPolicy.fromConfig('{}')
const action: 'allow' | 'deny' | 'review' = policy.check('a.b', 443)
const decision: Decision = policy.decide('a.b', 443)
export function describe(decision: Decision): string {
  switch (decision.action) {
    case 'allow':
      return decision.pattern + decision.index.toFixed() + decision.host.length
    case 'review':
      return decision.host
    case 'deny':
      if (decision.reason === 'malformed-host') return String(decision.host satisfies null)
      return decision.reason === 'rule' ? (decision.list satisfies 'deniedDomains') : decision.host
  }
}
const many: Decision[] = policy.decideMany(['a.b'], [443])
const lists: readonly string[] = policy.allowedDomains
const config: PiSandboxConfig = parseConfig('{}')
const host: string | null = canonicalizeHost('a.b')
const other: PiSandboxConfig = parsePiSandboxConfig({})
const resolve: HostnameResolver = async () => [{ address: '8.8.8.8', family: 4 }]
const valid: Promise<string | undefined> = validatePublicHostname('a.b', resolve)
const { hostPattern, port }: { hostPattern: string; port: number | undefined } = splitDomainPatternPort('a.b:1')
try {
  init()
} catch (error) {
  if (error instanceof ConfigError) { const line: number | undefined = error.line; void line }
  if (error instanceof PolicyUnavailableError) void error.cause
}
const validation: Validation = validateConfig('{}')
for (const { from, to, fix } of validation.diagnostics) void ['{}'.slice(from, to), fix?.text]
const range: TextRange | undefined = locateEntry('{}', 'allowedDomains', 0)
const [miss] = policy.explain('a.b', 443).misses
const suggestion: string | null | undefined = miss?.suggestion
const relation: 'equal' | 'narrower' | 'wider' | 'incomparable' = compare(policy, policy).relation
const supervisor = new Supervisor(policy, 'ab', { askTimeoutMs: Infinity, limits: { workers: 1 } })
for (let output = supervisor.poll(); output !== undefined; output = supervisor.poll()) {
  if (output.type === 'ask') supervisor.answer(output.ask, output.hostname === 'a.b' ? 'allow' : 'deny', 0)
  if (output.type === 'registered') void output.worker.cwd
}
const worker = new Worker('ab', 'w', '/')
const line: string = worker.register('id', 0).line
export async function supervise(): Promise<void> {
  const listening: ListeningSupervisor = await listen({
    policy,
    approve: async ({ hostname, port, protocol }, { id, cwd }, { signal }) =>
      !signal.aborted && hostname + port + protocol + id + cwd === '' ? 'allow' : 'deny',
    registered: ({ id }, at) => void [id, at.toFixed()],
  })
  const { socketPath, capability } = listening
  const connected = await connectWorker({ socketPath, capability, workerId: 'w', cwd: '/' })
  const given: WorkerAnswer = await connected.decide('a.b', 443)
  const answer: 'allow' | 'deny' = given.action
  if (given.by === 'failure') void [given.action satisfies 'deny', given.error.message]
  // @ts-expect-error only what failed has an error
  else void given.error
  const external = await createExternalWorkerSupervisor(async () => answer, { registered: ({ startedAt }) => void startedAt }, config.network)
  await Promise.all([connected.close(), listening.close(), external.close()])
}
// @ts-expect-error an approver decides
listen({ policy, approve: async () => 'maybe' })
// @ts-expect-error times are numbers
supervisor.expire(new Date())
// @ts-expect-error frozen
validation.diagnostics.pop()
void [range, suggestion, relation, line]
// @ts-expect-error a port is a number
policy.check('a.b', '443')
// @ts-expect-error a host is a string
policy.decide(5, 443)
// @ts-expect-error made by its factories
new NetworkPolicy()
// @ts-expect-error immutable
policy.allowedDomains.push('c.d')
void [action, decision, many, lists, config, host, other, valid, hostPattern, port, isUnixSocketPermissionError(new Uint8Array())]
`

const VALUES = `NetworkPolicy, parseConfig, canonicalizeHost, init, ConfigError, PolicyUnavailableError, validateConfig,
  locateEntry, compare, Supervisor, Worker`
const TYPES = 'type Decision, type PiSandboxConfig, type TextRange, type Validation'
const COMPAT = `parsePiSandboxConfig, validatePublicHostname, splitDomainPatternPort, isUnixSocketPermissionError,
  createExternalWorkerSupervisor`
const usage = (entry) => `import { ${VALUES}, ${TYPES} } from '${entry}'
import { connectWorker, listen, type ListeningSupervisor, type WorkerAnswer } from 'pi-sandbox-policy/node'
import { ${COMPAT}, type HostnameResolver } from 'pi-sandbox-policy/compat'
${USAGE}`

const folder = join(project, 'types')
mkdirSync(folder, { recursive: true })
for (const [name, entry] of [['main', 'pi-sandbox-policy'], ['inline', 'pi-sandbox-policy/inline']]) {
  writeFileSync(join(folder, `${name}.mts`), usage(entry))
  writeFileSync(join(folder, `${name}.cts`), usage(entry))
  writeFileSync(join(folder, `${name}.ts`), usage(entry))
}
// What comes by import may be handed to what comes by require.
writeFileSync(
  join(folder, 'mixed.mts'),
  `import { NetworkPolicy } from 'pi-sandbox-policy'
import commonjs = require('pi-sandbox-policy')
const policy: commonjs.NetworkPolicy = NetworkPolicy.fromConfig('{}')
export const back: NetworkPolicy = policy
`,
)

const SETTINGS = {
  node16: { module: 'node16', moduleResolution: 'node16', files: ['*.mts', '*.cts', '*.ts'] },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', files: ['*.mts', '*.cts', '*.ts'] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', files: ['main.ts', 'inline.ts'] },
}

for (const [name, { files, ...options }] of Object.entries(SETTINGS)) {
  test(`types under ${name}, without any library but the language's`, () => {
    const config = join(folder, `tsconfig.${name}.json`)
    const compilerOptions = {
      ...options,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2022',
      lib: ['es2022'],
      types: [],
    }
    writeFileSync(config, JSON.stringify({ compilerOptions, include: files }))
    const { status, stdout } = spawnSync(process.execPath, [scripts.tsc, '-p', config], { encoding: 'utf8', cwd: project })
    assert.equal(stdout, '')
    assert.equal(status, 0)
  })
}

test('publint finds nothing', async () => {
  const { publint } = await import(toolRequire.resolve('publint'))
  const { messages } = await publint({ pkgDir: join(project, 'node_modules/pi-sandbox-policy'), pack: false })
  assert.deepEqual(messages, [])
})

test('the types are not wrong', () => {
  const args = [scripts.attw, process.env.POLICY_TEST_TARBALL, '--profile', 'node16', '--format', 'ascii', '--no-color', '--exclude-entrypoints', 'policy.wasm']
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: temporary })
  assert.equal(status, 0, stdout)
})
