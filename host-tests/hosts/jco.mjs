// The component, transpiled by jco, in Node.

import { loadSync, NetworkPolicy } from '../../wasm-component/js/src/node.js'
import { own, readRequest } from './js/request.mjs'
import { serve } from './js/serve.mjs'

const engine = loadSync()
const policy = (request) => NetworkPolicy.fromTransport(engine, JSON.stringify(own(request, 'network') ?? null))

const parseConfig = ({ text }) => {
  try {
    return { ok: engine.parseConfig(text) }
  } catch (error) {
    return { error: error.message }
  }
}

const OPS = {
  'parse-config': parseConfig,
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
}

const answerLine = (line) => {
  const request = readRequest(line)
  return JSON.stringify(request ? OPS[request.op](request) : { error: 'bad request' })
}

await serve((lines) => lines.map(answerLine))
