// The core through the npm package, in this very runtime: its public API and its `compat` entry.

import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { LEDGER } from './explain.mjs'
import { isEntry } from './original.mjs'
import { RunnerCore } from './runner-core.mjs'
import { make } from './values.mjs'

const ALL = new Set(LEDGER)

/** The modules of a built package, found by its own `exports`. */
export async function load(folder) {
  const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = (entry) => {
    let found = exports[entry]
    while (typeof found !== 'string') found = found.node ?? found.import ?? found.default
    return pathToFileURL(`${folder}/${found}`)
  }
  return { api: await import(file('.')), compat: await import(file('./compat')) }
}

const only = (list, entry) => ({ allowedDomains: [], deniedDomains: [], [list]: [entry] })
const lists = (policy) => ({ allowedDomains: [...policy.allowedDomains], deniedDomains: [...policy.deniedDomains] })

const ANSWERS = {
  host: ({ api, compat }, { host }) => ({ valid: compat.isValidHost(host), canonical: api.canonicalizeHost(host) }),
  entry({ api, compat }, { list, entry }) {
    const policy = lists(api.NetworkPolicy.fromTransport(only(list, entry)))
    const others = policy.allowedDomains.length + policy.deniedDomains.length - 1
    if (policy[list][0] !== entry || others !== 0) return { valid: false }
    const { hostPattern, port } = compat.splitDomainPatternPort(entry)
    return { valid: true, host: hostPattern, port: port ?? null }
  },
  match({ api }, { list, entry, host, port }) {
    const { reason, list: decided, pattern } = api.NetworkPolicy.fromTransport(only(list, entry)).decide(host, port)
    return { match: reason === 'rule' && decided === list && pattern === entry }
  },
  compat({ compat }, { entry, host, port }) {
    // What is no entry may be compared in any way.
    if (!isEntry(entry, 'deniedDomains', ALL) || !compat.isValidHost(host)) return { match: false }
    return { match: compat.matchesDomainPatternWithPort(compat.canonicalizeHost(host) ?? host, port, entry) }
  },
  decide: ({ api }, { network, host, port }) => ({ ...api.NetworkPolicy.fromTransport(network).decide(host, port) }),
  text: ({ api }, { text }) => lists(api.NetworkPolicy.fromTransportText(text)),
  address: ({ api }, { address }) => ({ public: api.isPublicAddress(address) }),
  value({ api, compat }, { policy, way }) {
    const read = lists(api.NetworkPolicy.fromTransport(make(policy, way)))
    const decoded = lists(compat.decodeExternalNetworkPolicy(make(policy, way)))
    return JSON.stringify(decoded) === JSON.stringify(read) ? read : { '.': read, './compat': decoded }
  },
}

export class NpmCore {
  #modules
  /** For the supervisor: one protocol, whoever speaks it, and the hosts are held together elsewhere. */
  #native = new RunnerCore('native')

  constructor(modules) {
    this.#modules = modules
  }

  /** Answers in the shape of `original.mjs`. */
  answers(tests) {
    const supervised = tests.filter(({ kind }) => kind === 'supervise')
    const answered = new Map(supervised.length > 0 ? this.#native.answers(supervised).map((answer, at) => [supervised[at], answer]) : [])
    return tests.map((test) => answered.get(test) ?? ANSWERS[test.kind](this.#modules, test))
  }
}
