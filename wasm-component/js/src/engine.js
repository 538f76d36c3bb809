// The engine, and the questions that need no policy.

import { modules as moduleNames } from '../generated/modules.js';
import { instantiate } from '../generated/policy.js';
import { answer, configError, denied, listCase, toPlace, toValidation } from './answers.js';
import { NEVER_VALID, checkedDocument, checkedHost, checkedIndex, checkedText, checkedTexts } from './arguments.js';
import { ConfigError, ListsError, PolicyUnavailable } from './errors.js';

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
    text = checkedDocument(text);
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

  /** The JSON Schema (draft 2020-12) of the configuration document, as text: for editors. */
  configSchema() {
    return this.run(({ config }) => config.configSchema());
  }

  /** Finds every problem of a configuration text: its errors or, when there are none, its lints. */
  validateConfig(text) {
    text = checkedDocument(text);
    return toValidation(this.run(({ diagnostics }) => diagnostics.validateConfig(text)));
  }

  /** Where the entry stands in a text that is number `index` of a list in its policy; null when it has none. */
  locateEntry(text, list, index) {
    text = checkedDocument(text);
    list = listCase(list);
    index = checkedIndex(index, 'index');
    return toPlace(this.run(({ diagnostics }) => diagnostics.locateEntry(text, list, index)));
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
   * A new instance of the component.
   * @internal
   */
  instantiate() {
    return instantiate((name) => this.#modules.get(name), {});
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
      instance ??= { ...this.instantiate(), loaded: new Map() };
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

/** As the transpiled code has it. */
const DISPOSE = Symbol.dispose ?? Symbol.for('dispose');
