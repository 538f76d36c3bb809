// A policy, ready to be asked.

import { answer, configError, denied, listsError, toAction, toComparison, toDecision, toExplanation, unavailable } from './answers.js';
import { checkedDocument, checkedHost, checkedPort, checkedTexts } from './arguments.js';
import { PolicyEngine } from './engine.js';

/** Destinations in one call, so that its memory stays small. */
const BATCH = 1024;

const KEY = Symbol('NetworkPolicy');

/** A network policy inside the component. It never changes. */
export class NetworkPolicy {
  #engine;
  #key;
  #json;
  #lists;
  #fingerprint;

  /** @internal Use fromConfig, fromTransport or fromLists. */
  constructor(key, engine, construct, toError) {
    if (key !== KEY) {
      throw new TypeError('use NetworkPolicy.fromConfig, fromTransport or fromLists');
    }
    if (!(engine instanceof PolicyEngine)) {
      throw new TypeError('engine must be a PolicyEngine');
    }
    this.#engine = engine;
    this.#key = engine.keyFor(this);
    engine.run(({ network, loaded }) => {
      const policy = answer(() => construct(network.NetworkPolicy), toError);
      this.#fingerprint = policy.fingerprint();
      this.#json = policy.toJson();
      this.#lists = JSON.parse(this.#json);
      loaded.set(this.#key, policy);
    });
  }

  /** The policy of a configuration document. Throws ConfigError with the first check that fails. */
  static fromConfig(engine, text) {
    text = checkedDocument(text);
    return new NetworkPolicy(KEY, engine, (policy) => policy.fromConfig(text), configError);
  }

  /** The policy that a supervisor sent, as JSON text. Any other text makes the policy that denies everything. */
  static fromTransport(engine, text) {
    text = checkedDocument(text);
    return new NetworkPolicy(KEY, engine, (policy) => policy.fromTransport(text), configError);
  }

  /** A policy from two lists. Throws ListsError for the first entry that is no domain pattern. */
  static fromLists(engine, allowed, denied) {
    // The empty text is refused like what it stands for.
    allowed = checkedTexts(allowed, 'allowed', '');
    denied = checkedTexts(denied, 'denied', '');
    return new NetworkPolicy(KEY, engine, (policy) => policy.fromLists(allowed, denied), listsError);
  }

  /** Whether a connection to the host at the port may be made. Every text is answered. */
  decide(host, port) {
    host = checkedHost(host);
    port = checkedPort(port);
    try {
      return toDecision(this.#ask((policy) => policy.decide(host, port)));
    } catch (error) {
      return denied(error, unavailable(port));
    }
  }

  /** The action of `decide` alone, for less. */
  check(host, port) {
    host = checkedHost(host);
    port = checkedPort(port);
    try {
      return toAction(this.#ask((policy) => policy.check(host, port)));
    } catch (error) {
      return denied(error, 'deny');
    }
  }

  /** `decide` for each `[host, port]`, in order; cheaper than one by one. */
  decideMany(destinations) {
    return this.#askMany(destinations, (policy, batch) => policy.decideMany(batch).map(toDecision), unavailable);
  }

  /** `check` for each `[host, port]`, in order; cheaper than one by one. */
  checkMany(destinations) {
    return this.#askMany(destinations, (policy, batch) => policy.checkMany(batch).map(toAction), () => 'deny');
  }

  /** Explains the decision for one destination, to a person. */
  explain(host, port) {
    host = checkedHost(host);
    port = checkedPort(port);
    return toExplanation(this.#ask((policy, { explain }) => explain.explain(policy, host, port)));
  }

  /** Compares this policy, the old one, with a new one: exactly, with a witness for every difference. */
  compare(newer) {
    return toComparison(this.#beside(newer, ({ compare }, older, other) => compare(older, other)));
  }

  /** Whether this policy gives no destination more access than another. False without an answer, too. */
  isNoWiderThan(other) {
    try {
      return this.#beside(other, ({ isNoWiderThan }, own, others) => isNoWiderThan(own, others)) === true;
    } catch (error) {
      return denied(error, false);
    }
  }

  /** `sha256:` and 64 hex digits: equal exactly when two hosts run the same policy. */
  get fingerprint() {
    return this.#fingerprint;
  }

  /** The entries of `allowedDomains` as written, in order. */
  get allowedDomains() {
    return [...this.#lists.allowedDomains];
  }

  /** The entries of `deniedDomains` as written, in order. */
  get deniedDomains() {
    return [...this.#lists.deniedDomains];
  }

  /** What JSON.stringify writes for a policy: both lists, in the order of the canonical JSON. */
  toJSON() {
    return { allowedDomains: this.allowedDomains, deniedDomains: this.deniedDomains };
  }

  #ask(question) {
    return this.#engine.run((instance) => question(this.#loadedIn(instance), instance));
  }

  #loadedIn({ network, loaded }) {
    const policy = loaded.get(this.#key) ?? this.loadInto(network);
    loaded.set(this.#key, policy);
    return policy;
  }

  /** Asks in an instance that holds two policies. */
  #beside(other, question) {
    if (!(other instanceof NetworkPolicy)) {
      throw new TypeError('a policy must be a NetworkPolicy');
    }
    return this.#ask((policy, instance) => {
      const same = other.#engine === this.#engine;
      return question(instance.compare, policy, same ? other.#loadedIn(instance) : other.loadInto(instance.network));
    });
  }

  /**
   * Loads the policy once more, into another instance.
   * @internal
   */
  loadInto({ NetworkPolicy: policies }) {
    const policy = policies.fromTransport(this.#json);
    if (policy.fingerprint() !== this.#fingerprint) {
      throw new Error('the policy is another one than before');
    }
    return policy;
  }

  #askMany(destinations, question, otherwise) {
    const checked = Array.from(destinations, ([host, port]) => ({ host: checkedHost(host), port: checkedPort(port) }));
    const answers = [];
    for (let start = 0; start < checked.length; start += BATCH) {
      const batch = checked.slice(start, start + BATCH);
      const ask = (policy) => {
        const answered = question(policy, batch);
        if (answered.length !== batch.length) {
          throw new Error('a batch has another number of answers');
        }
        return answered;
      };
      try {
        answers.push(...this.#ask(ask));
      } catch (error) {
        answers.push(...batch.map(({ port }) => denied(error, otherwise(port))));
      }
    }
    return answers;
  }
}
