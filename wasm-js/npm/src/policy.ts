import * as glue from 'policy-glue'

import { decideBatch } from './batch.js'
import { kind } from './boundary/kind.js'
import { toPort } from './boundary/port.js'
import { toStorableText, toText } from './boundary/text.js'
import { transportJson } from './boundary/value.js'
import { configError } from './config.js'
import { ACTIONS, type Action, type Decision, isSpeltOtherwise, malformed, unpack } from './decision.js'
import type { Explanation } from './explanation.js'
import { freezeAll } from './freeze.js'
import { CROSSES_AS_STRING, head, readHost, writeHost } from './host-text.js'
import {
  abandon,
  canonicalHostPlace,
  ensureInstance,
  enter,
  generation,
  hostPlace,
  leave,
  use,
} from './instance.js'

/** The text that a policy is made of, and made of again in a new instance. */
type Source = { readonly kind: 'config' | 'transport'; readonly text: string }

const OWN_CALL = Symbol('own call')

/**
 * The policy in the present instance, for calls that take more than one.
 *
 * @internal
 */
export let handleOf: (policy: NetworkPolicy) => glue.Policy

/**
 * The value, which must be a policy and nothing that only looks like one.
 *
 * @internal
 */
export let toPolicy: (value: unknown, what: string) => NetworkPolicy

/**
 * A validated network policy: two lists of domain patterns, and the decision for every
 * destination. Immutable.
 */
export class NetworkPolicy {
  readonly #source: Source
  /** In the instance of this generation, and void in any other. */
  #policy: glue.Policy | undefined
  #generation = 0
  #allowedDomains: readonly string[] | undefined
  #deniedDomains: readonly string[] | undefined
  #fingerprint: string | undefined

  /** Not for callers: see {@link NetworkPolicy.fromConfig} and {@link NetworkPolicy.fromTransport}. */
  private constructor(ownCall: symbol, source: Source) {
    if (ownCall !== OWN_CALL) throw new TypeError('use NetworkPolicy.fromConfig or NetworkPolicy.fromTransport')
    this.#source = source
    Object.freeze(this)
  }

  /**
   * The network policy of a configuration, from the text of its file.
   *
   * @throws {ConfigError} when the text is no configuration.
   */
  static fromConfig(text: string): NetworkPolicy {
    const policy = new NetworkPolicy(OWN_CALL, { kind: 'config', text: toStorableText(text, 'text') })
    if (use(() => policy.#compile()) === undefined) throw configError(text)
    return policy
  }

  /**
   * A policy that came from elsewhere as a value, such as the `network` member of a supervisor's
   * reply. Whatever is not an object with exactly two lists of valid entries becomes the policy
   * that denies everything; there is no error that could be overlooked.
   */
  static fromTransport(value: unknown): NetworkPolicy {
    return new NetworkPolicy(OWN_CALL, transported(() => transportJson(value))).#compiled()
  }

  /** {@link NetworkPolicy.fromTransport} from JSON text, read as strictly as all JSON here. */
  static fromTransportText(text: string): NetworkPolicy {
    if (typeof text !== 'string') throw new TypeError('text must be a string: fromTransport takes values')
    return new NetworkPolicy(OWN_CALL, transported(() => toStorableText(text, 'text'))).#compiled()
  }

  /** Allow, deny or review: the action of {@link decide}, without building an object. */
  check(host: string, port: number): Action {
    this.#assertReceiver()
    const checkedPort = toPort(port)
    if (typeof host !== 'string') toText(host, 'host')
    try {
      ensureInstance()
      enter()
      const policy = this.#current()
      const length = writeHost(hostPlace(), 0, host)
      const action =
        length === CROSSES_AS_STRING
          ? policy.checkText(head(host), checkedPort)
          : policy.check(length, checkedPort)
      leave()
      return ACTIONS[action] ?? 'deny'
    } catch {
      abandon()
      return 'deny'
    }
  }

  /** The decision for one destination, as a frozen object. */
  decide(host: string, port: number): Decision {
    this.#assertReceiver()
    const checkedPort = toPort(port)
    if (typeof host !== 'string') toText(host, 'host')
    try {
      ensureInstance()
      enter()
      const policy = this.#current()
      const length = writeHost(hostPlace(), 0, host)
      const packed =
        length === CROSSES_AS_STRING
          ? policy.decideText(head(host), checkedPort)
          : policy.decide(length, checkedPort)
      const canonical = isSpeltOtherwise(packed) ? readHost(canonicalHostPlace(), 0) : host
      leave()
      return unpack(packed, canonical, checkedPort, this)
    } catch {
      abandon()
      return malformed(checkedPort)
    }
  }

  /**
   * The decisions for many destinations, `hosts[i]` at `ports[i]`, in one crossing into
   * WebAssembly. When that fails, all of them are denials.
   */
  decideMany(hosts: readonly string[], ports: readonly number[]): Decision[] {
    this.#assertReceiver()
    return decideBatch(hosts, ports, this, (questions, count) => {
      try {
        ensureInstance()
        enter()
        const answers = this.#current().decideMany(questions, count)
        leave()
        return answers
      } catch {
        abandon()
        return undefined
      }
    })
  }

  /**
   * Why a destination is allowed, denied or asked about: the decision, the entries that match, and
   * those that nearly do. Frozen.
   */
  explain(host: string, port: number): Explanation {
    this.#assertReceiver()
    const checkedHost = toText(host, 'host')
    const checkedPort = toPort(port)
    return freezeAll(use(() => this.#current().explain(checkedHost, checkedPort)) as Explanation)
  }

  /** Whether this policy gives no destination more access than `other`. */
  isNoWiderThan(other: NetworkPolicy): boolean {
    this.#assertReceiver()
    const checked = toPolicy(other, 'other')
    return use(() => this.#current().isNoWiderThan(checked.#current()))
  }

  /** `sha256:` and 64 hex digits: equal wherever the same lists are in force. */
  get fingerprint(): string {
    return (this.#fingerprint ??= use(() => this.#current().fingerprint()))
  }

  /** The allowed entries as written, in order; frozen. */
  get allowedDomains(): readonly string[] {
    return (this.#allowedDomains ??= use(() => this.#current().allowedDomains()))
  }

  /** The denied entries as written, in order; frozen. */
  get deniedDomains(): readonly string[] {
    return (this.#deniedDomains ??= use(() => this.#current().deniedDomains()))
  }

  /** The two lists, for `JSON.stringify`: its text is what the fingerprint is taken of. */
  toJSON(): { allowedDomains: readonly string[]; deniedDomains: readonly string[] } {
    return { allowedDomains: this.allowedDomains, deniedDomains: this.deniedDomains }
  }

  static {
    handleOf = (policy) => policy.#current()
    toPolicy = (value, what) => {
      if (typeof value === 'object' && value !== null && #source in value) return value
      throw new TypeError(`${what} must be a NetworkPolicy, not ${kind(value)}`)
    }
  }

  /** Throws for any other `this`, as a method that was taken off its policy has: no failure to deny for. */
  #assertReceiver(): void {}

  /** The policy in the present instance, made again when that is a new one. */
  #current(): glue.Policy {
    const policy = this.#generation === generation ? this.#policy : this.#compile()
    if (policy === undefined) throw new Error('a text that made a policy once does no more')
    return policy
  }

  /** The policy that the text makes, if it makes one. */
  #compile(): glue.Policy | undefined {
    const { kind, text } = this.#source
    this.#policy = kind === 'config' ? glue.Policy.fromConfig(text) : glue.Policy.fromTransport(text)
    this.#generation = generation
    return this.#policy
  }

  #compiled(): this {
    use(() => this.#compile())
    return this
  }
}

/** What cannot be read as a text is no JSON, and the empty text says so. */
function transported(read: () => string): Source {
  try {
    return { kind: 'transport', text: read() }
  } catch {
    return { kind: 'transport', text: '' }
  }
}
