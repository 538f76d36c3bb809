// What one could write without any package. Neither is a replacement: no checks, no ports, no other spellings.

/** A look-up for the host and each of its parent domains. */
export class Sets {
  #denied
  #allowed

  constructor({ allowedDomains, deniedDomains }) {
    this.#denied = sets(deniedDomains)
    this.#allowed = sets(allowedDomains)
  }

  check(host) {
    const lower = lowered(host)
    if (contains(this.#denied, lower)) return 'deny'
    return contains(this.#allowed, lower) ? 'allow' : 'review'
  }
}

/** One regular expression for each list. */
export class Expressions {
  #denied
  #allowed

  constructor({ allowedDomains, deniedDomains }) {
    this.#denied = expression(deniedDomains)
    this.#allowed = expression(allowedDomains)
  }

  check(host) {
    const lower = lowered(host)
    if (this.#denied.test(lower)) return 'deny'
    return this.#allowed.test(lower) ? 'allow' : 'review'
  }
}

function lowered(host) {
  const lower = host.toLowerCase()
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}

function sets(entries) {
  const names = new Set()
  const bases = new Set()
  for (const entry of entries.map(withoutPort)) {
    if (entry.startsWith('*.')) bases.add(entry.slice(2))
    else names.add(entry)
  }
  return { names, bases }
}

function contains({ names, bases }, host) {
  if (names.has(host)) return true
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    if (bases.has(host.slice(dot + 1))) return true
  }
  return false
}

function expression(entries) {
  const parts = entries.map(withoutPort).map(entry => entry.replaceAll('.', '\\.').replace(/^\*/, '.+'))
  return new RegExp(`^(?:${parts.join('|')})$`)
}

function withoutPort(entry) {
  return entry.split(':')[0].toLowerCase()
}
