/** What a decision comes to, from the least access to the most. */
export type Action = 'deny' | 'review' | 'allow';

/** One of the two lists of a policy. */
export type List = 'allowedDomains' | 'deniedDomains';

/** The answer for one destination. */
export type Decision =
  | { action: 'allow'; reason: 'rule'; list: List; index: number; pattern: string; host: string; port: number }
  | { action: 'deny'; reason: 'rule'; list: List; index: number; pattern: string; host: string; port: number }
  | { action: 'deny'; reason: 'not-public'; host: string; port: number }
  | { action: 'deny'; reason: 'malformed-host' | 'unavailable'; host: null; port: number }
  | { action: 'review'; reason: 'unmatched'; host: string; port: number };

/** A valid configuration, every default filled in. */
export interface Config {
  subagents: {
    provider: 'builtin' | 'pi-subagents' | 'off';
    externalWorkerIsolation: 'off' | 'enforce';
  };
  filesystem: { additionalAllowRead: string[] };
  network: { allowedDomains: string[]; deniedDomains: string[] };
  hostIPC: { mode: 'off' | 'ask'; preflightCommandPrefixes: string[]; retryOnUnixSocketError: boolean };
}

/** A place in a text: offset in bytes of UTF-8 from 0 (a lone surrogate counts as one), line and column from 1. */
export interface Position {
  offset: number;
  line: number;
  column: number;
}

/** The text is no valid configuration; `position` says where reading stopped when it is not JSON. */
export class ConfigError extends Error {
  readonly position: Position | undefined;
}

/** The lists hold an entry that is no domain pattern; `entry` says which. */
export class ListsError extends Error {
  readonly entry: { list: List; index: number } | undefined;
}

/** The component could not answer. The next call is not affected. */
export class PolicyUnavailable extends Error {}

/** The component. One per program is enough. */
export class PolicyEngine {
  /** From compiled core modules by name. */
  constructor(modules: Iterable<readonly [name: string, module: WebAssembly.Module]>);
  /** Fetches and compiles the core modules; by default from beside this module. */
  static load(base?: URL | string): Promise<PolicyEngine>;
  /** Reads a configuration from the text of its file. Throws ConfigError with the first check that fails. */
  parseConfig(text: string): Config;
  /** The one spelling that the operating system would connect to; null when the text is no host. */
  canonicalizeHost(host: string): string | null;
  /** The public hostname in a text: trimmed, lower-case, without one trailing dot; null when it is none. */
  normalizePublicHostname(host: string): string | null;
  /** Whether a resolved address may be reached: a bare IP literal of a public network. */
  isPublicAddress(address: string): boolean;
  /** Whether a name that resolved to these may be reached: there is at least one, and every one is public. */
  checkAddresses(addresses: Iterable<string>): boolean;
  /** The first prefix that the trimmed command starts with, followed by the end or by white space; or null. */
  matchingPreflightPrefix(command: string, prefixes: Iterable<string>): string | null;
  /** Whether a command's standard error speaks of a Unix socket that the sandbox refused. */
  isUnixSocketPermissionError(stderr: string): boolean;
}

/** A network policy inside the component. It never changes. */
export class NetworkPolicy {
  private constructor();
  /** The policy of a configuration document. Throws ConfigError with the first check that fails. */
  static fromConfig(engine: PolicyEngine, text: string): NetworkPolicy;
  /** The policy that a supervisor sent, as JSON text. Any other text makes the policy that denies everything. */
  static fromTransport(engine: PolicyEngine, text: string): NetworkPolicy;
  /** A policy from two lists. Throws ListsError for the first entry that is no domain pattern. */
  static fromLists(engine: PolicyEngine, allowed: Iterable<string>, denied: Iterable<string>): NetworkPolicy;
  /** Whether a connection to the host at the port may be made. Every text is answered. */
  decide(host: string, port: number): Decision;
  /** The action of `decide` alone, for less. */
  check(host: string, port: number): Action;
  /** `decide` for each `[host, port]`, in order; cheaper than one by one. */
  decideMany(destinations: Iterable<readonly [host: string, port: number]>): Decision[];
  /** `check` for each `[host, port]`, in order; cheaper than one by one. */
  checkMany(destinations: Iterable<readonly [host: string, port: number]>): Action[];
  /** `sha256:` and 64 hex digits: equal exactly when two hosts run the same policy. */
  readonly fingerprint: string;
  /** The entries of `allowedDomains` as written, in order. */
  readonly allowedDomains: string[];
  /** The entries of `deniedDomains` as written, in order. */
  readonly deniedDomains: string[];
  /** What JSON.stringify writes for a policy: both lists, in the order of the canonical JSON. */
  toJSON(): { allowedDomains: string[]; deniedDomains: string[] };
}
