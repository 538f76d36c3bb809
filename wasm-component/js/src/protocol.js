// The protocol between workers and their supervisor, without I/O.

import { answer, denied, toAction, toDecision, unavailable } from './answers.js';
import { checkedBytes, checkedCount, checkedDocument, checkedHost, checkedIndex, checkedPort, checkedText } from './arguments.js';
import { PolicyEngine } from './engine.js';
import { PolicyUnavailable, Refused } from './errors.js';
import { NetworkPolicy } from './policy.js';

/** Bytes handed over in one call. */
const CHUNK = 1 << 16;

/** No limit, as the component has it. */
const FOR_EVER = 0xffff_ffff_ffff_ffffn;

/** A state machine in an instance of its own. A failed call is its end: every later one fails alike. */
class Machine {
  #instance;
  #failure;

  constructor(engine, create) {
    if (!(engine instanceof PolicyEngine)) {
      throw new TypeError('engine must be a PolicyEngine');
    }
    this.#run(() => {
      const exports = engine.instantiate();
      this.#instance = { exports, handle: answer(() => create(exports), refused) };
    });
  }

  /** Calls it, and makes an error of a refusal, which is an answer and changes nothing. */
  call(question) {
    return this.#run(() => answer(() => question(this.#instance.handle, this.#instance.exports), refused));
  }

  #run(question) {
    if (this.#failure) {
      throw this.#failure;
    }
    try {
      return question();
    } catch (error) {
      if (!(error instanceof Refused)) {
        // All that refers to the instance goes with it.
        this.#instance = undefined;
        this.#failure = new PolicyUnavailable(error);
        throw this.#failure;
      }
      throw error;
    }
  }
}

/**
 * Answers the requests of workers: from the policy, or by asking an approver. Does no I/O.
 *
 * After every input call `poll` until it gives undefined, and do what it says, in that order. `now` is in whole
 * milliseconds of one clock that does not go back.
 */
export class Supervisor {
  #machine;
  #outputs = [];

  constructor(engine, policy, capability, options = {}) {
    if (!(policy instanceof NetworkPolicy)) {
      throw new TypeError('policy must be a NetworkPolicy');
    }
    capability = checkedText(capability, 'capability');
    const chosen = checkedOptions(options);
    this.#machine = new Machine(engine, ({ network, supervisor }) => {
      const { limits, ...others } = supervisor.defaultOptions();
      const all = { ...others, ...chosen, limits: { ...limits, ...chosen.limits } };
      return supervisor.Supervisor.create(policy.loadInto(network), capability, all);
    });
  }

  /** A worker has connected; gives the number of the connection. At the limit it is denied and ended at once. */
  open() {
    return Number(this.#machine.call((supervisor) => supervisor.open()));
  }

  /** Bytes have come, cut anywhere. */
  receive(connection, bytes, now) {
    connection = checkedCount(connection, 'connection');
    now = checkedCount(now, 'now');
    for (const chunk of chunks(bytes)) {
      this.#machine.call((supervisor) => supervisor.receive(connection, chunk, now));
    }
  }

  /** A whole frame has come, from a program that cuts lines itself. Not to be mixed with `receive`. */
  receiveLine(connection, line, now) {
    connection = checkedCount(connection, 'connection');
    line = checkedDocument(line);
    now = checkedCount(now, 'now');
    this.#machine.call((supervisor) => supervisor.receiveLine(connection, line, now));
  }

  /** The connection has ended. What its requests wait for is denied; workers stay as they are. */
  close(connection) {
    connection = checkedCount(connection, 'connection');
    this.#machine.call((supervisor) => supervisor.close(connection));
  }

  /** The approver has spoken. Whatever is not exactly 'allow' is deny. */
  answer(ask, word, now) {
    ask = checkedCount(ask, 'ask');
    now = checkedCount(now, 'now');
    this.#machine.call((supervisor) => supervisor.answer(ask, word === 'allow' ? 'allow' : 'deny', now));
  }

  /** Denies every ask whose time is over. */
  expire(now) {
    now = checkedCount(now, 'now');
    this.#machine.call((supervisor) => supervisor.expire(now));
  }

  /** When `expire` has something to do next; undefined when no ask waits. */
  nextDeadline() {
    return toNumber(this.#machine.call((supervisor) => supervisor.nextDeadline()));
  }

  /** Denies every ask, ends every connection and refuses new ones. */
  shutdown() {
    this.#machine.call((supervisor) => supervisor.shutdown());
  }

  /** The next thing to do; undefined when there is none. */
  poll() {
    if (this.#outputs.length === 0) {
      this.#outputs = this.#machine.call((supervisor) => supervisor.poll()).map(toOutput).reverse();
    }
    return this.#outputs.pop();
  }

  /** Every worker that ever registered, in that order. */
  workers() {
    return this.#machine.call((supervisor) => supervisor.workers()).map(toRecord);
  }
}

/**
 * Registers with a supervisor, asks it about connections, and leaves. Does no I/O.
 *
 * `register`, `network` and `unregister` give a line; write it and a newline to a connection that no other exchange
 * uses, and hand in what comes back. Every exchange has exactly one outcome.
 */
export class Worker {
  #machine;
  /** With the stage in which it was asked for. */
  #policy;

  constructor(engine, capability, id, cwd) {
    capability = checkedText(capability, 'capability');
    id = checkedText(id, 'id');
    cwd = checkedText(cwd, 'cwd');
    this.#machine = new Machine(engine, ({ supervisor }) => supervisor.Worker.create(capability, id, cwd));
  }

  /** Asks to join. Throws Refused unless the worker is new. The id is drawn at random, as for every request. */
  register(requestId, now) {
    return this.#request(requestId, now, (worker, id, time) => worker.register(id, time));
  }

  /** Asks about one connection. Throws Refused unless the worker is active. */
  network(requestId, hostname, port, now) {
    hostname = checkedText(hostname, 'hostname');
    port = checkedPort(port);
    return this.#request(requestId, now, (worker, id, time) => worker.network(id, hostname, port, time));
  }

  /** Says that the worker leaves. Throws Refused unless the worker is active. */
  unregister(requestId, now) {
    return this.#request(requestId, now, (worker, id, time) => worker.unregister(id, time));
  }

  /** Bytes have come back, cut anywhere. */
  receive(exchange, bytes, now) {
    exchange = checkedCount(exchange, 'exchange');
    now = checkedCount(now, 'now');
    for (const chunk of chunks(bytes)) {
      this.#machine.call((worker) => worker.receive(exchange, chunk, now));
    }
  }

  /** No more will come back: the connection has ended, or could not be made. */
  end(exchange) {
    exchange = checkedCount(exchange, 'exchange');
    this.#machine.call((worker) => worker.end(exchange));
  }

  /** Denies every exchange whose time is over. */
  expire(now) {
    now = checkedCount(now, 'now');
    this.#machine.call((worker) => worker.expire(now));
  }

  /** When `expire` has something to do next; undefined when nothing waits. */
  nextDeadline() {
    return toNumber(this.#machine.call((worker) => worker.nextDeadline()));
  }

  /** The outcomes since the last time. */
  poll() {
    const outcomes = this.#machine.call((worker) => worker.poll());
    return outcomes.map((outcome) => ({ exchange: Number(outcome.exchange), answer: outcome.answer }));
  }

  /** How far it has come. */
  get stage() {
    return this.#machine.call((worker) => worker.stage());
  }

  /** Whether a connection may be made, by the policy that the supervisor sent; deny while the worker is not active. */
  decide(host, port) {
    host = checkedHost(host);
    port = checkedPort(port);
    try {
      return this.#ask((policy) => toDecision(policy.decide(host, port)));
    } catch (error) {
      return denied(error, unavailable(port));
    }
  }

  /** The action of `decide` alone, for less. */
  check(host, port) {
    host = checkedHost(host);
    port = checkedPort(port);
    try {
      return this.#ask((policy) => toAction(policy.check(host, port)));
    } catch (error) {
      return denied(error, 'deny');
    }
  }

  /** Of the policy that the supervisor sent; while the worker is not active, of the one that denies everything. */
  get fingerprint() {
    return this.#ask((policy) => policy.fingerprint());
  }

  #request(requestId, now, request) {
    requestId = checkedText(requestId, 'requestId');
    now = checkedCount(now, 'now');
    const { exchange, line } = this.#machine.call((worker) => request(worker, requestId, now));
    return { exchange: Number(exchange), line };
  }

  /** Asks the policy, which changes with the stage only. */
  #ask(question) {
    return this.#machine.call((worker) => {
      const stage = worker.stage();
      if (this.#policy?.stage !== stage) {
        this.#policy = { stage, policy: worker.policy() };
      }
      return question(this.#policy.policy);
    });
  }
}

function refused({ message }) {
  return new Refused(message);
}

function checkedOptions({ recheck, askTimeoutMs, limits = {} }) {
  const chosen = { limits: {} };
  if (recheck !== undefined) {
    if (typeof recheck !== 'boolean') {
      throw new TypeError(`recheck must be true or false, not ${typeof recheck}`);
    }
    chosen.recheck = recheck;
  }
  if (askTimeoutMs !== undefined) {
    chosen.askTimeout = askTimeoutMs === Infinity ? FOR_EVER : checkedCount(askTimeoutMs, 'askTimeoutMs');
  }
  for (const name of ['connections', 'workers', 'requestIds', 'pendingAsks', 'pendingAsksPerWorker']) {
    const limit = limits[name];
    if (limit !== undefined) {
      chosen.limits[name] = checkedIndex(limit, `limits.${name}`);
    }
  }
  return chosen;
}

function* chunks(bytes) {
  const copy = checkedBytes(bytes);
  for (let start = 0; start < copy.length; start += CHUNK) {
    yield copy.subarray(start, start + CHUNK);
  }
}

function toNumber(number) {
  return number === undefined ? undefined : Number(number);
}

function toRecord({ id, cwd, state, requests, registeredAt, exitedAt }) {
  const exited = exitedAt === undefined ? null : Number(exitedAt);
  return { id, cwd, state, requests: Number(requests), registeredAt: Number(registeredAt), exitedAt: exited };
}

function toOutput({ tag, val }) {
  switch (tag) {
    case 'reply':
      return { type: 'reply', connection: Number(val.connection), line: val.line };
    case 'close':
      return { type: 'close', connection: Number(val) };
    case 'ask': {
      const { ask, connection, hostname, port, cwd, workerId } = val;
      return { type: 'ask', ask: Number(ask), connection: Number(connection), hostname, port, cwd, workerId };
    }
    case 'withdrawn':
      return { type: 'withdrawn', ask: Number(val) };
    case 'registered':
      return { type: 'registered', worker: toRecord(val) };
    case 'unregistered':
      return { type: 'unregistered', worker: toRecord(val) };
    default:
      throw new Error(`an output cannot be ${tag}`);
  }
}
