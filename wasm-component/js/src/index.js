// pi-sandbox network policies: the WebAssembly component, transpiled by jco, behind a small, safe API.
//
// What the transpiled code does not do and this does: arguments are checked before they cross; a call that traps is
// deny where the answer is a decision and an error elsewhere; the instance is then thrown away, and the next call gets
// another.

import { modules as moduleNames } from '../generated/modules.js';
import { instantiate } from '../generated/policy.js';

/** No host is longer than 255 bytes: what is cut off behind this could not have changed the answer. */
const HOST_CUT = 256;

/** Longest text handed over, in UTF-16 units: an instance's memory never shrinks. */
const TEXT_LIMIT = 1 << 26;

/** Destinations in one call, so that its memory stays small. */
const BATCH = 1024;

/** Stands in for a lone surrogate where a text with this character is refused like one with a surrogate. */
const NEVER_VALID = '\0';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The text is no valid configuration; `position` says where reading stopped when it is not JSON. */
export class ConfigError extends Error {
  constructor(message, position) {
    super(message);
    this.name = 'ConfigError';
    this.position = position;
  }
}

/** The lists hold an entry that is no domain pattern; `entry` says which. */
export class ListsError extends Error {
  constructor(message, entry) {
    super(message);
    this.name = 'ListsError';
    this.entry = entry;
  }
}

/** The component could not answer. The next call is not affected. */
export class PolicyUnavailable extends Error {
  constructor(cause) {
    super(`the policy component failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'PolicyUnavailable';
  }
}

/** The component. One per program is enough. */
export class PolicyEngine {
  #modules;
  /** The exports and, by key, the policies that are loaded: all that refers to an instance, so that it goes whole. */
  #instance;
  #keys = 0;
  #forgotten = new FinalizationRegistry((key) => this.#forget(key));

  /** From compiled core modules by name. Instantiates the component once, to see that they fit. */
  constructor(modules) {
    this.#modules = new Map(modules);
    this.run(() => {});
  }

  /** Fetches and compiles the core modules; by default from beside this module. */
  static async load(base = new URL('../generated/', import.meta.url)) {
    const compile = async (name) => {
      const response = await fetch(new URL(name, base));
      if (!response.ok) {
        throw new Error(`cannot load ${response.url}: ${response.status}`);
      }
      return [name, await WebAssembly.compile(await response.arrayBuffer())];
    };
    return new PolicyEngine(await Promise.all(moduleNames.map(compile)));
  }

  /** Reads a configuration from the text of its file. Throws ConfigError with the first check that fails. */
  parseConfig(text) {
    text = document(text);
    const { subagents, filesystem, network, hostIpc } = this.run(({ config }) => answer(() => config.parseConfig(text), configError));
    return {
      subagents: {
        provider: subagents.provider,
        externalWorkerIsolation: subagents.externalWorkerIsolation,
      },
      filesystem: { additionalAllowRead: filesystem.additionalAllowRead },
      network: { allowedDomains: network.allowedDomains, deniedDomains: network.deniedDomains },
      hostIPC: {
        mode: hostIpc.mode,
        preflightCommandPrefixes: hostIpc.preflightCommandPrefixes,
        retryOnUnixSocketError: hostIpc.retryOnUnixSocketError,
      },
    };
  }

  /** The one spelling that the operating system would connect to; null when the text is no host. */
  canonicalizeHost(host) {
    host = checkedHost(host);
    return this.run(({ hosts }) => hosts.canonicalizeHost(host)) ?? null;
  }

  /** The public hostname in a text: trimmed, lower-case, without one trailing dot; null when it is none. */
  normalizePublicHostname(host) {
    host = checkedText(host, 'host', NEVER_VALID);
    return this.run(({ hosts }) => hosts.normalizePublicHostname(host)) ?? null;
  }

  /** Whether a resolved address may be reached: a bare IP literal of a public network. */
  isPublicAddress(address) {
    address = checkedText(address, 'address', NEVER_VALID);
    return this.#isPublic(({ hosts }) => hosts.isPublicAddress(address));
  }

  /** Whether a name that resolved to these may be reached: there is at least one, and every one is public. */
  checkAddresses(addresses) {
    addresses = checkedTexts(addresses, 'addresses', NEVER_VALID);
    return this.#isPublic(({ hosts }) => hosts.checkAddresses(addresses));
  }

  /** The first prefix that the trimmed command starts with, followed by the end or by white space; or null. */
  matchingPreflightPrefix(command, prefixes) {
    command = checkedText(command, 'command');
    prefixes = checkedTexts(prefixes, 'prefixes');
    return this.run(({ hostIpc }) => hostIpc.matchingPreflightPrefix(command, prefixes)) ?? null;
  }

  /** Whether a command's standard error speaks of a Unix socket that the sandbox refused. */
  isUnixSocketPermissionError(stderr) {
    stderr = checkedText(stderr, 'stderr');
    return this.run(({ hostIpc }) => hostIpc.isUnixSocketPermissionError(stderr));
  }

  /**
   * Calls into the instance. It is taken out first and put back only when all went well, so that nothing runs in one
   * that failed.
   * @internal
   */
  run(call) {
    let instance = this.#instance;
    this.#instance = undefined;
    try {
      instance ??= { ...instantiate((name) => this.#modules.get(name), {}), loaded: new Map() };
      const result = call(instance);
      this.#instance = instance;
      return result;
    } catch (error) {
      if (error instanceof ConfigError || error instanceof ListsError) {
        // An answer of the component.
        this.#instance = instance;
        throw error;
      }
      throw new PolicyUnavailable(error);
    }
  }

  /**
   * A key for a policy, which is unloaded when nobody refers to it any more.
   * @internal
   */
  keyFor(policy) {
    this.#keys += 1;
    this.#forgotten.register(policy, this.#keys);
    return this.#keys;
  }

  #forget(key) {
    if (!this.#instance?.loaded.has(key)) {
      return;
    }
    try {
      this.run(({ loaded }) => {
        loaded.get(key)[DISPOSE]();
        loaded.delete(key);
      });
    } catch (error) {
      denied(error);
    }
  }

  #isPublic(question) {
    try {
      return this.run(question) === true;
    } catch (error) {
      return denied(error, false);
    }
  }
}

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
      // The lists come from here because transpiled code drops a U+FEFF at the start of a text.
      this.#json = policy.toJson();
      this.#lists = JSON.parse(this.#json);
      loaded.set(this.#key, policy);
    });
  }

  /** The policy of a configuration document. Throws ConfigError with the first check that fails. */
  static fromConfig(engine, text) {
    text = document(text);
    return new NetworkPolicy(KEY, engine, (policy) => policy.fromConfig(text), configError);
  }

  /** The policy that a supervisor sent, as JSON text. Any other text makes the policy that denies everything. */
  static fromTransport(engine, text) {
    text = document(text);
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
      return this.#decision(this.#ask((policy) => policy.decide(host, port)));
    } catch (error) {
      return denied(error, unavailable(port));
    }
  }

  /** The action of `decide` alone, for less. */
  check(host, port) {
    host = checkedHost(host);
    port = checkedPort(port);
    try {
      return checkedAction(this.#ask((policy) => policy.check(host, port)));
    } catch (error) {
      return denied(error, 'deny');
    }
  }

  /** `decide` for each `[host, port]`, in order; cheaper than one by one. */
  decideMany(destinations) {
    return this.#askMany(destinations, (policy, batch) => policy.decideMany(batch).map((one) => this.#decision(one)), unavailable);
  }

  /** `check` for each `[host, port]`, in order; cheaper than one by one. */
  checkMany(destinations) {
    return this.#askMany(destinations, (policy, batch) => policy.checkMany(batch).map(checkedAction), () => 'deny');
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
    return this.#engine.run(({ network, loaded }) => {
      const policy = loaded.get(this.#key) ?? this.#load(network);
      loaded.set(this.#key, policy);
      return question(policy);
    });
  }

  /** Loads the policy once more, into another instance. */
  #load({ NetworkPolicy: policies }) {
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

  #decision({ tag, val }) {
    switch (tag) {
      case 'allow':
        return { action: 'allow', reason: 'rule', ...this.#rule(val.rule), host: val.host, port: val.port };
      case 'review':
        return { action: 'review', reason: 'unmatched', host: val.host, port: val.port };
      case 'deny':
        return this.#denial(val.reason, val.port);
      default:
        throw new Error(`a decision cannot be ${tag}`);
    }
  }

  #denial({ tag, val }, port) {
    switch (tag) {
      case 'malformed-host':
        return { action: 'deny', reason: 'malformed-host', host: null, port };
      case 'rule':
        return { action: 'deny', reason: 'rule', ...this.#rule(val.rule), host: val.host, port };
      case 'not-public':
        return { action: 'deny', reason: 'not-public', host: val, port };
      default:
        throw new Error(`a reason cannot be ${tag}`);
    }
  }

  #rule({ list, index }) {
    const name = LISTS[list];
    const pattern = this.#lists[name]?.[index];
    if (typeof pattern !== 'string') {
      throw new Error(`there is no entry ${index} in ${list}`);
    }
    return { list: name, index, pattern };
  }
}

const KEY = Symbol('NetworkPolicy');

/** As the transpiled code has it. */
const DISPOSE = Symbol.dispose ?? Symbol.for('dispose');

const LISTS = { __proto__: null, 'allowed-domains': 'allowedDomains', 'denied-domains': 'deniedDomains' };

/** The fallback, when the error says that the component did not answer. */
function denied(error, fallback) {
  if (error instanceof PolicyUnavailable) {
    return fallback;
  }
  throw error;
}

function unavailable(port) {
  return { action: 'deny', reason: 'unavailable', host: null, port };
}

function checkedAction(action) {
  if (action !== 'allow' && action !== 'review' && action !== 'deny') {
    throw new Error(`an action cannot be ${action}`);
  }
  return action;
}

/** Calls, and makes an error of an error result, which comes as a plain record with a message. */
function answer(call, toError) {
  try {
    return call();
  } catch (error) {
    const isRecord = !(error instanceof Error) && typeof error?.message === 'string';
    throw isRecord ? toError(error) : error;
  }
}

function configError({ message, position }) {
  return new ConfigError(message, position && { offset: position.offset, line: position.line, column: position.column });
}

function listsError({ message, entry }) {
  return new ListsError(message, entry && { list: LISTS[entry.list], index: entry.index });
}

function checkedPort(port) {
  if (typeof port !== 'number') {
    throw new TypeError(`a port must be a number, not ${typeof port}`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new RangeError(`a port must be an integer from 0 to 65535, not ${port}`);
  }
  return port;
}

function checkedHost(host) {
  return checkedText(typeof host === 'string' ? host.slice(0, HOST_CUT) : host, 'host', NEVER_VALID);
}

function document(text) {
  return checkedText(text, 'text', NEVER_VALID);
}

/** The text. With a lone surrogate in it: `standIn` in each such place, or the whole text for an empty one. */
function checkedText(text, name, standIn) {
  if (typeof text !== 'string') {
    throw new TypeError(`${name} must be a string, not ${text === null ? 'null' : typeof text}`);
  }
  if (text.length > TEXT_LIMIT) {
    throw new RangeError(`${name} is longer than ${TEXT_LIMIT}`);
  }
  if (!LONE_SURROGATE.test(text)) {
    return text;
  }
  if (standIn === undefined) {
    throw new TypeError(`${name} has a lone surrogate`);
  }
  return standIn && text.replace(/\p{Surrogate}/gu, standIn);
}

function checkedTexts(texts, name, standIn) {
  if (typeof texts === 'string' || typeof texts?.[Symbol.iterator] !== 'function') {
    throw new TypeError(`${name} must be several strings`);
  }
  let length = 0;
  return Array.from(texts, (text, index) => {
    const checked = checkedText(text, `${name}[${index}]`, standIn);
    length += checked.length;
    if (length > TEXT_LIMIT) {
      throw new RangeError(`${name} are longer than ${TEXT_LIMIT} together`);
    }
    return checked;
  });
}
