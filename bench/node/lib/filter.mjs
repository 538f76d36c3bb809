// The decision of @anthropic-ai/sandbox-runtime, as `filterNetworkRequest` in its sandbox-manager.js makes it, without
// its logging and its promise: both would only add to its time.

import { matchesDomainPatternWithPort } from '@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js'
import { canonicalizeHost, isValidHost } from '@anthropic-ai/sandbox-runtime/dist/sandbox/parent-proxy.js'

export function filter(network, host, port) {
  if (!isValidHost(host)) return 'deny'
  const canonicalHost = canonicalizeHost(host) ?? host
  for (const pattern of network.deniedDomains) {
    if (matchesDomainPatternWithPort(canonicalHost, port, pattern)) return 'deny'
  }
  for (const pattern of network.allowedDomains) {
    if (matchesDomainPatternWithPort(canonicalHost, port, pattern)) return 'allow'
  }
  return 'review'
}
