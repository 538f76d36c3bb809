// The component, transpiled by jco, in Node.

import { loadSync, NetworkPolicy, Supervisor } from '../../wasm-component/js/src/node.js'
import { own, readRequest } from './js/request.mjs'
import { serve } from './js/serve.mjs'

const engine = loadSync()
const policy = (request, member = 'network') =>
  NetworkPolicy.fromTransport(engine, JSON.stringify(own(request, member) ?? null))

const diagnostic = ({ severity, code, path, start, end, line, column, message, help }) => ({
  severity, code, path, start, end, line, column, message, help,
})

/** A conversation: each frame on a connection of its own. */
function supervise(request) {
  const { capability, steps } = request
  const supervisor = new Supervisor(engine, policy(request), capability, { recheck: own(request, 'recheck') })
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

const orError = (answer) => {
  try {
    return answer()
  } catch (error) {
    return { error: error.message }
  }
}

const OPS = {
  'parse-config': ({ text }) => orError(() => ({ ok: engine.parseConfig(text) })),
  'decode-transport': ({ text }) => NetworkPolicy.fromTransport(engine, text),
  decide: (request) => policy(request).decide(request.host, request.port),
  'canonicalize-host': ({ host }) => {
    const canonical = engine.canonicalizeHost(host)
    return canonical === null ? { malformed: true } : { host: canonical }
  },
  'normalize-public-hostname': ({ host }) => ({ host: engine.normalizePublicHostname(host) }),
  'is-public-address': ({ address }) => ({ public: engine.isPublicAddress(address) }),
  'check-addresses': ({ addresses }) => ({ public: engine.checkAddresses(addresses) }),
  'matching-preflight-prefix': ({ command, prefixes }) => ({ prefix: engine.matchingPreflightPrefix(command, prefixes) }),
  'is-unix-socket-permission-error': ({ stderr }) => ({ match: engine.isUnixSocketPermissionError(stderr) }),
  fingerprint: (request) => ({ fingerprint: policy(request).fingerprint }),
  'validate-config': ({ text }) => ({ diagnostics: engine.validateConfig(text).diagnostics.map(diagnostic) }),
  explain: (request) => policy(request).explain(request.host, request.port),
  compare: (request) => policy(request, 'old').compare(policy(request, 'new')),
  supervise: (request) => orError(() => supervise(request)),
}

const answerLine = (line) => {
  const request = readRequest(line)
  return JSON.stringify(request ? OPS[request.op](request) : { error: 'bad request' })
}

await serve((lines) => lines.map(answerLine))
