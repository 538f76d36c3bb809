// Answers requests through the public API of the npm package, given as `api`.

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
}

const policy = (api, request) => api.NetworkPolicy.fromTransport(own(request, 'network'))

/** The answer line to a request line. */
export function answerLine(api, line) {
  const request = readRequest(line)
  return JSON.stringify(request ? OPS[request.op](api, request) : { error: 'bad request' })
}
