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

/** How much a problem matters: worth knowing; probably not what was meant; the text is refused. */
export type Severity = 'info' | 'warning' | 'error';

/** Where something stands in a text: bytes of UTF-8, and line and columns of the start, from 1. */
export interface Place {
  start: number;
  /** Behind the last byte. */
  end: number;
  line: number;
  /** In characters: for people. */
  column: number;
  /** In UTF-16 units: for editors. */
  columnUtf16: number;
}

/** One problem of a configuration text. */
export interface Diagnostic extends Place {
  severity: Severity;
  /** What kind of problem it is, such as `entry-wildcard`. A code never changes its meaning. */
  code: string;
  /** Where in the document, such as `network.allowedDomains[2]`; empty for the document itself. */
  path: string;
  message: string;
  /** What to do about it. */
  help: string | null;
  /** A replacement of bytes that takes the problem away. Apply one, then validate again. */
  fix: { start: number; end: number; text: string } | null;
}

/** All that can be said about a configuration text: its errors or, when there are none, its lints. */
export interface Validation {
  diagnostics: Diagnostic[];
  /** How many more there are. */
  omitted: number;
  /** What `parseConfig` says of the same text; null when it is a configuration. */
  error: ConfigError | null;
}

/** A decision and all that led to it. */
export interface Explanation {
  decision: Decision;
  /** The answer in a sentence. */
  summary: string;
  /** How the host as asked became the host that was judged. */
  steps: { step: string; host: string; message: string }[];
  /** Every entry that matches, the denied list first. */
  matches: { list: List; index: number; pattern: string; decides: boolean }[];
  matchesOmitted: number;
  /** When no entry decided: entries that nearly match, and what would. */
  misses: { kind: string; list: List; index: number; pattern: string; message: string; suggestion: string | null }[];
  missesOmitted: number;
}

/** A destination that two policies decide differently. */
export interface Witness {
  host: string;
  port: number;
  old: Action;
  new: Action;
}

/** How two policies differ, with proof. */
export interface Comparison {
  relation: 'equal' | 'narrower' | 'wider' | 'incomparable';
  /** Destinations to which the new policy gives less access. */
  narrower: Witness[];
  /** Destinations to which the new policy gives more access. */
  wider: Witness[];
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

/** A supervisor, a worker or a request of it was not made. A connection that it was for must not be made either. */
export class Refused extends Error {}

/** The component. One per program is enough. */
export class PolicyEngine {
  /** From compiled core modules by name. */
  constructor(modules: Iterable<readonly [name: string, module: WebAssembly.Module]>);
  /** Fetches and compiles the core modules; by default from beside this module. */
  static load(base?: URL | string): Promise<PolicyEngine>;
  /** Reads a configuration from the text of its file. Throws ConfigError with the first check that fails. */
  parseConfig(text: string): Config;
  /** The JSON Schema (draft 2020-12) of the configuration document, as text: for editors. */
  configSchema(): string;
  /** Finds every problem of a configuration text: its errors or, when there are none, its lints. */
  validateConfig(text: string): Validation;
  /** Where the entry stands in a text that is number `index` of a list in its policy; null when it has none. */
  locateEntry(text: string, list: List, index: number): Place | null;
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
  /** Explains the decision for one destination, to a person. */
  explain(host: string, port: number): Explanation;
  /** Compares this policy, the old one, with a new one: exactly, with a witness for every difference. */
  compare(newer: NetworkPolicy): Comparison;
  /** Whether this policy gives no destination more access than another. False without an answer, too. */
  isNoWiderThan(other: NetworkPolicy): boolean;
  /** `sha256:` and 64 hex digits: equal exactly when two hosts run the same policy. */
  readonly fingerprint: string;
  /** The entries of `allowedDomains` as written, in order. */
  readonly allowedDomains: string[];
  /** The entries of `deniedDomains` as written, in order. */
  readonly deniedDomains: string[];
  /** What JSON.stringify writes for a policy: both lists, in the order of the canonical JSON. */
  toJSON(): { allowedDomains: string[]; deniedDomains: string[] };
}

/** How a supervisor behaves where the program may choose; what is left out has its default. */
export interface SupervisorOptions {
  /** Whether the policy decides first and only a review is asked about. */
  recheck?: boolean | undefined;
  /** Milliseconds that the approver has for one ask; `Infinity` is no limit. */
  askTimeoutMs?: number | undefined;
  /** How much the supervisor remembers. What does not fit is denied; nothing is forgotten to make room. */
  limits?: {
    connections?: number | undefined;
    workers?: number | undefined;
    requestIds?: number | undefined;
    pendingAsks?: number | undefined;
    pendingAsksPerWorker?: number | undefined;
  };
}

/** One worker as its supervisor sees it. */
export interface WorkerRecord {
  id: string;
  cwd: string;
  state: 'active' | 'exited';
  /** Its network requests that were accepted, whatever their answers. */
  requests: number;
  registeredAt: number;
  exitedAt: number | null;
}

/** One thing for the program around a supervisor to do, or to know. */
export type SupervisorOutput =
  /** Write the line and a newline to the connection. */
  | { type: 'reply'; connection: number; line: string }
  /** Write what is to be written and end the connection. */
  | { type: 'close'; connection: number }
  /** Ask the approver, and hand what it says to `answer`. */
  | { type: 'ask'; ask: number; connection: number; hostname: string; port: number; cwd: string; workerId: string }
  /** Nobody waits for the answer to this ask any more: it was denied. */
  | { type: 'withdrawn'; ask: number }
  | { type: 'registered' | 'unregistered'; worker: WorkerRecord };

/**
 * Answers the requests of workers: from the policy, or by asking an approver. Does no I/O: after every input call
 * `poll` until it gives undefined, and do what it says, in that order. `now` is in whole milliseconds of one clock
 * that does not go back.
 *
 * PolicyUnavailable from any method is the end of this supervisor: every later call throws it, too. End every
 * connection then; whoever waits is denied.
 */
export class Supervisor {
  /** Throws Refused when the capability is not 64 hex digits, or when no reply has room for the policy. */
  constructor(engine: PolicyEngine, policy: NetworkPolicy, capability: string, options?: SupervisorOptions);
  /** A worker has connected; gives the number of the connection. At the limit it is denied and ended at once. */
  open(): number;
  /** Bytes have come, cut anywhere. */
  receive(connection: number, bytes: Uint8Array, now: number): void;
  /** A whole frame has come, from a program that cuts lines itself. Not to be mixed with `receive`. */
  receiveLine(connection: number, line: string, now: number): void;
  /** The connection has ended. What its requests wait for is denied; workers stay as they are. */
  close(connection: number): void;
  /** The approver has spoken. Whatever is not exactly `'allow'` is deny. */
  answer(ask: number, word: unknown, now: number): void;
  /** Denies every ask whose time is over. */
  expire(now: number): void;
  /** When `expire` has something to do next; undefined when no ask waits. */
  nextDeadline(): number | undefined;
  /** Denies every ask, ends every connection and refuses new ones. */
  shutdown(): void;
  /** The next thing to do; undefined when there is none. */
  poll(): SupervisorOutput | undefined;
  /** Every worker that ever registered, in that order. */
  workers(): WorkerRecord[];
}

/** One line to send, without its newline; it holds the capability. */
export interface OutgoingRequest {
  exchange: number;
  line: string;
}

/**
 * Registers with a supervisor, asks it about connections, and leaves. Does no I/O: write each line and a newline to a
 * connection that no other exchange uses, and hand in what comes back. Every exchange has exactly one outcome. Request
 * ids are drawn at random.
 *
 * PolicyUnavailable from any method is the end of this worker: every later call throws it, too, and every decision is
 * deny.
 */
export class Worker {
  /** Throws Refused when a supervisor would refuse every request of this worker. */
  constructor(engine: PolicyEngine, capability: string, id: string, cwd: string);
  /** Asks to join. Throws Refused unless the worker is new. */
  register(requestId: string, now: number): OutgoingRequest;
  /** Asks about one connection. Throws Refused unless the worker is active. */
  network(requestId: string, hostname: string, port: number, now: number): OutgoingRequest;
  /** Says that the worker leaves. Throws Refused unless the worker is active. */
  unregister(requestId: string, now: number): OutgoingRequest;
  /** Bytes have come back, cut anywhere. */
  receive(exchange: number, bytes: Uint8Array, now: number): void;
  /** No more will come back: the connection has ended, or could not be made. */
  end(exchange: number): void;
  /** Denies every exchange whose time is over. */
  expire(now: number): void;
  /** When `expire` has something to do next; undefined when nothing waits. */
  nextDeadline(): number | undefined;
  /** The outcomes since the last time. */
  poll(): { exchange: number; answer: 'allow' | 'deny' }[];
  /** How far it has come. */
  readonly stage: 'new' | 'registering' | 'active' | 'leaving' | 'stopped';
  /** Whether a connection may be made, by the policy that the supervisor sent; deny while the worker is not active. */
  decide(host: string, port: number): Decision;
  /** The action of `decide` alone, for less. */
  check(host: string, port: number): Action;
  /** Of the policy that the supervisor sent; while the worker is not active, of the one that denies everything. */
  readonly fingerprint: string;
}
