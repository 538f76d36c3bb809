// Answers requests through the public API of the npm package, or what has its shape, given as `api`.

import { own, readRequest } from './request.mjs'

const orError = (answer) => {
  try {
    return answer()
  } catch (error) {
    return { error: error.message }
  }
}

const OPS = {
  'parse-config': (api, { text }) => orError(() => ({ ok: api.parseConfig(text) })),
  'decode-transport': (api, { text }) => api.NetworkPolicy.fromTransportText(text),
  decide: (api, request) => policy(api, request).decide(request.host, request.port),
  'canonicalize-host': (api, { host }) => {
    const canonical = api.canonicalizeHost(host)
    return canonical === null ? { malformed: true } : { host: canonical }
  },
  'normalize-public-hostname': (api, { host }) => ({ host: api.normalizePublicHostname(host) }),
  'is-public-address': (api, { address }) => ({ public: api.isPublicAddress(address) }),
  'check-addresses': (api, { addresses }) => ({ public: api.checkAddresses(addresses) }),
  'matching-preflight-prefix': (api, { command, prefixes }) => ({
    prefix: api.matchingPreflightPrefix(command, prefixes),
  }),
  'is-unix-socket-permission-error': (api, { stderr }) => ({ match: api.isUnixSocketPermissionError(stderr) }),
  fingerprint: (api, request) => ({ fingerprint: policy(api, request).fingerprint }),
  'validate-config': (api, { text }) => ({ diagnostics: api.validateConfig(text).diagnostics.map(diagnostic) }),
  explain: (api, request) => policy(api, request).explain(request.host, request.port),
  compare: (api, request) => api.compare(policy(api, request, 'old'), policy(api, request, 'new')),
  supervise: (api, request) => orError(() => supervise(api, request)),
}

const policy = (api, request, member = 'network') => api.NetworkPolicy.fromTransport(own(request, member))

const diagnostic = ({ severity, code, path, start, end, line, column, message, help }) => ({
  severity, code, path, start, end, line, column, message, help,
})

/** A conversation: each frame on a connection of its own. */
function supervise(api, request) {
  const { capability, steps } = request
  const supervisor = new api.Supervisor(policy(api, request), capability, { recheck: own(request, 'recheck') })
  const [replies, asks] = [[], []]
  for (const [step, { frame, ...rest }] of steps.entries()) {
    const connection = supervisor.open()
    supervisor.receiveLine(connection, frame.replaceAll('$CAP', () => capability), 0)
    for (let output; (output = supervisor.poll()); ) {
      if (output.type === 'reply') replies.push(output.line)
      if (output.type !== 'ask') continue
      supervisor.answer(output.ask, own(rest, 'answer'), 0)
      const { hostname, port, cwd, workerId } = output
      asks.push({ step, hostname, port, cwd, workerId })
    }
    supervisor.close(connection)
  }
  const workers = supervisor.workers().map(({ id, cwd, state, requests }) => ({ id, cwd, state, requests }))
  return { replies, asks, workers }
}

/** The answer line to a request line. */
export function answerLine(api, line) {
  const request = readRequest(line)
  return JSON.stringify(request ? OPS[request.op](api, request) : { error: 'bad request' })
}
