// The wrapper of the transpiled component in the shape of the npm package, so that both answer by the
// same code.

/** `component` is the wrapper's module, `engine` what it loaded. */
export function likePackage({ NetworkPolicy, Supervisor }, engine) {
  const fromTransportText = (text) => NetworkPolicy.fromTransport(engine, text)
  return {
    parseConfig: (text) => engine.parseConfig(text),
    validateConfig: (text) => engine.validateConfig(text),
    canonicalizeHost: (host) => engine.canonicalizeHost(host),
    normalizePublicHostname: (host) => engine.normalizePublicHostname(host),
    isPublicAddress: (address) => engine.isPublicAddress(address),
    checkAddresses: (addresses) => engine.checkAddresses(addresses),
    matchingPreflightPrefix: (command, prefixes) => engine.matchingPreflightPrefix(command, prefixes),
    isUnixSocketPermissionError: (stderr) => engine.isUnixSocketPermissionError(stderr),
    compare: (from, to) => from.compare(to),
    NetworkPolicy: {
      fromTransportText,
      // JSON has no undefined, which is no policy either.
      fromTransport: (value) => fromTransportText(JSON.stringify(value ?? null)),
    },
    Supervisor: class extends Supervisor {
      constructor(policy, capability, options) {
        super(engine, policy, capability, options)
      }
    },
  }
}
