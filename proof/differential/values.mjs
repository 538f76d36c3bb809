// Policies as JavaScript values of every odd make, from a recipe that is plain data.

/** The value that a recipe describes; a new one each time. */
export function make(policy, way) {
  const { allowedDomains, deniedDomains } = structuredClone(policy)
  return WAYS[way](allowedDomains, deniedDomains)
}

const WAYS = {
  plain: (allowedDomains, deniedDomains) => ({ allowedDomains, deniedDomains }),
  'null-prototype': (allowedDomains, deniedDomains) => Object.assign(Object.create(null), { allowedDomains, deniedDomains }),
  inherited: (allowedDomains, deniedDomains) => Object.create({ allowedDomains, deniedDomains }),
  'inherited-list': (allowedDomains, deniedDomains) => Object.assign(Object.create({ deniedDomains }), { allowedDomains }),
  getter: (allowedDomains, deniedDomains) => ({
    allowedDomains,
    get deniedDomains() {
      return deniedDomains
    },
  }),
  proxy: (allowedDomains, deniedDomains) => new Proxy({ allowedDomains, deniedDomains }, {}),
  'proxy-list': (allowedDomains, deniedDomains) => ({ allowedDomains, deniedDomains: new Proxy(deniedDomains, {}) }),
  symbol: (allowedDomains, deniedDomains) => ({ allowedDomains, deniedDomains, [Symbol('x')]: 1 }),
  hidden: (allowedDomains, deniedDomains) => Object.defineProperty({ allowedDomains, deniedDomains }, 'x', { value: 1, enumerable: false }),
  'hidden-list': (allowedDomains, deniedDomains) => Object.defineProperty({ allowedDomains }, 'deniedDomains', { value: deniedDomains, enumerable: false }),
  'lone-surrogate': (allowedDomains, deniedDomains) => ({ allowedDomains: [...allowedDomains, '\ud800.example'], deniedDomains }),
  'array-like': (allowedDomains, deniedDomains) => ({ allowedDomains, deniedDomains: { ...deniedDomains, length: deniedDomains.length } }),
  // eslint-disable-next-line no-sparse-arrays
  hole: (allowedDomains, deniedDomains) => ({ allowedDomains: [...allowedDomains, , 'a.b'], deniedDomains }),
  'extra-on-array': (allowedDomains, deniedDomains) => ({ allowedDomains: Object.assign(allowedDomains, { x: 1 }), deniedDomains }),
  'boxed-string': (allowedDomains, deniedDomains) => ({ allowedDomains: [...allowedDomains, new String('a.b')], deniedDomains }),
  instance: (allowedDomains, deniedDomains) => Object.assign(new (class Policy {})(), { allowedDomains, deniedDomains }),
  changing: (allowedDomains, deniedDomains) => {
    let reads = 0
    return {
      get allowedDomains() {
        reads += 1
        return reads === 1 ? [] : allowedDomains
      },
      deniedDomains,
    }
  },
  'to-json': (allowedDomains, deniedDomains) => Object.defineProperty({ allowedDomains, deniedDomains }, 'toJSON', { value: () => ({ allowedDomains: [], deniedDomains: [] }), enumerable: false }),
  'subclassed-list': (allowedDomains, deniedDomains) => ({ allowedDomains: (class List extends Array {}).from(allowedDomains), deniedDomains }),
  'own-proto': (allowedDomains, deniedDomains) => JSON.parse(JSON.stringify({ allowedDomains, deniedDomains }).replace(/}$/, ',"__proto__":{}}')),
}

export const WAY_NAMES = Object.keys(WAYS)

/** D7: a copy of what the value itself holds and lists, each member read once; a text that is not well-formed is no text. */
export function ownCopy(value) {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? undefined : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Array.from({ length: value.length }, (_, index) => (Object.hasOwn(value, index) ? ownCopy(value[index]) : undefined))
  const copy = Object.create(null)
  for (const key of Object.keys(value)) copy[key] = ownCopy(value[key])
  return copy
}
