// One small program, in every environment, with one answer.

const CONFIG = JSON.stringify({
  network: { allowedDomains: ['*.github.com:443', 'pypi.org'], deniedDomains: ['gist.github.com'] },
})

/** The source of the program for an entry, which ends by calling `report` with the answer. */
export const program = (report) => `
const policy = NetworkPolicy.fromConfig(${JSON.stringify(CONFIG)})
const answer = []
answer.push(policy.check('API.GitHub.com.', 443), policy.check('a b', 443), policy.check('example.org', 1))
answer.push(policy.decide('gist.github.com', 443), policy.decide('0x7f.1', 80), policy.decide('b\\u00fccher.example', 1))
answer.push(policy.decideMany(['pypi.org', '::1'], [443, 22]), policy, policy.fingerprint)
answer.push(parseConfig('{}'), canonicalizeHost('[0::1]'))
try {
  parseConfig('[')
} catch (error) {
  answer.push(error instanceof ConfigError, error.message, error.line)
}
answer.push(NetworkPolicy.fromTransport({ allowedDomains: 1 }))
answer.push(validateConfig('{"n\\u00e4me":1}').diagnostics[0].to, policy.explain('github.com', 443).misses[0].suggestion)
answer.push(compare(policy, NetworkPolicy.fromTransport({ allowedDomains: ['pypi.org'], deniedDomains: [] })).relation)
const supervisor = new Supervisor(policy, 'ab'.repeat(32))
supervisor.receiveLine(supervisor.open(), '{}', 0)
answer.push(supervisor.poll().line, new Worker('ab'.repeat(32), 'w', '/').register('id', 0).exchange)
${report}(JSON.stringify(answer))
`

/** What the program imports. */
export const NAMES =
  '{ NetworkPolicy, parseConfig, canonicalizeHost, ConfigError, validateConfig, compare, Supervisor, Worker }'

/** The answer. */
export const EXPECTED = JSON.stringify([
  'allow',
  'deny',
  'review',
  {
    action: 'deny',
    reason: 'rule',
    list: 'deniedDomains',
    index: 0,
    pattern: 'gist.github.com',
    host: 'gist.github.com',
    port: 443,
  },
  { action: 'deny', reason: 'not-public', host: '127.0.0.1', port: 80 },
  { action: 'deny', reason: 'malformed-host', host: null, port: 1 },
  [
    { action: 'allow', reason: 'rule', list: 'allowedDomains', index: 1, pattern: 'pypi.org', host: 'pypi.org', port: 443 },
    { action: 'deny', reason: 'not-public', host: '::1', port: 22 },
  ],
  { allowedDomains: ['*.github.com:443', 'pypi.org'], deniedDomains: ['gist.github.com'] },
  'sha256:FINGERPRINT',
  {
    subagents: { provider: 'builtin', externalWorkerIsolation: 'off' },
    filesystem: { additionalAllowRead: [] },
    network: { allowedDomains: [], deniedDomains: [] },
    hostIPC: { mode: 'off', preflightCommandPrefixes: [], retryOnUnixSocketError: false },
  },
  '::1',
  true,
  'invalid JSON',
  1,
  { allowedDomains: [], deniedDomains: ['*'] },
  7,
  'github.com:443',
  'incomparable',
  '{"action":"deny"}',
  1,
]).replace('FINGERPRINT', await fingerprint())

async function fingerprint() {
  const { createHash } = await import('node:crypto')
  return createHash('sha256').update(JSON.stringify(JSON.parse(CONFIG).network)).digest('hex')
}
