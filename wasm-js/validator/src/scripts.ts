// The addresses that become scripts, the worker's and the editor's. Where the browser knows trusted types, no other
// can: nothing else has this policy, and the page's Content-Security-Policy allows no second one.

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
const policy = trustedTypes?.createPolicy('page-scripts', { createScriptURL: (url) => url })

/** Marks an address of this page's own as one of a script. */
export function scriptAddress(own: string): string {
  return policy?.createScriptURL(own) ?? own
}
