import { NetworkPolicy } from '../internal.js'

/** The two lists of a policy. */
export interface ExternalNetworkPolicy {
  allowedDomains: string[]
  deniedDomains: string[]
}

/**
 * The policy in a value that a supervisor sent, in fresh arrays. Whatever is no policy becomes the
 * policy that denies everything.
 */
export function decodeExternalNetworkPolicy(value: unknown): ExternalNetworkPolicy {
  const { allowedDomains, deniedDomains } = NetworkPolicy.fromTransport(value)
  return { allowedDomains: [...allowedDomains], deniedDomains: [...deniedDomains] }
}
