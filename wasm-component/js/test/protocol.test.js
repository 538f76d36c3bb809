import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NetworkPolicy, PolicyUnavailable, Refused, Supervisor, Worker, loadSync } from '../src/node.js';
import { watched } from './support/watched.js';

const engine = loadSync();
const LONE = '\ud800';
const CAPABILITY = 'ab'.repeat(32);
const policy = NetworkPolicy.fromLists(engine, ['ok.example'], ['no.example']);
const newSupervisor = (options) => new Supervisor(engine, policy, CAPABILITY, options);
const newWorker = () => new Worker(engine, CAPABILITY, 'w', '/repo');
const bytes = (text) => new TextEncoder().encode(text);

/** Everything that there is to do. */
function outputs(supervisor) {
  const all = [];
  for (let output; (output = supervisor.poll()); ) {
    all.push(output);
  }
  return all;
}

/** Sends a request; an ask is answered with its hostname's word. The outcome, and what else came out. */
function exchange(supervisor, worker, request, now) {
  const connection = supervisor.open();
  supervisor.receive(connection, bytes(`${request.line}\n`), now);
  const others = [];
  for (let output; (output = supervisor.poll()); ) {
    if (output.type === 'ask') {
      supervisor.answer(output.ask, output.hostname.replace(/\.example$/, ''), now);
    } else if (output.type === 'reply') {
      for (const byte of bytes(`${output.line}\n`)) {
        worker.receive(request.exchange, Uint8Array.of(byte), now);
      }
    } else {
      others.push(output);
    }
  }
  supervisor.close(connection);
  return [worker.poll(), others];
}

test('a worker registers, asks and leaves', () => {
  const [supervisor, worker] = [newSupervisor(), newWorker()];
  assert.deepEqual([worker.stage, worker.check('ok.example', 443)], ['new', 'deny']);
  let request = worker.register('1', 0);
  let [outcomes, [output]] = exchange(supervisor, worker, request, 0);
  assert.deepEqual(outcomes, [{ exchange: request.exchange, answer: 'allow' }]);
  const record = { id: 'w', cwd: '/repo', state: 'active', requests: 0, registeredAt: 0, exitedAt: null };
  assert.deepEqual(output, { type: 'registered', worker: record });
  assert.deepEqual([worker.stage, worker.fingerprint], ['active', policy.fingerprint]);
  for (const host of ['ok.example', 'No.example.', 'other.example', 'a b', '127.1']) {
    assert.deepEqual(worker.decide(host, 443), policy.decide(host, 443));
    assert.equal(worker.check(host, 443), policy.check(host, 443));
  }
  for (const [host, answer] of [['allow.example', 'allow'], ['deny.example', 'deny'], ['no.example', 'deny']]) {
    request = worker.network(host, host, 443, 1);
    [outcomes] = exchange(supervisor, worker, request, 1);
    assert.deepEqual(outcomes, [{ exchange: request.exchange, answer }]);
  }
  const late = worker.network('late', 'allow.example', 443, 2);
  assert.equal(worker.nextDeadline(), 30_002);
  worker.expire(30_002);
  assert.deepEqual(worker.poll(), [{ exchange: late.exchange, answer: 'deny' }]);
  assert.equal(worker.nextDeadline(), undefined);
  [outcomes, [output]] = exchange(supervisor, worker, worker.unregister('u', 30_003), 30_003);
  assert.equal(output.type, 'unregistered');
  assert.deepEqual([worker.stage, worker.check('ok.example', 443)], ['stopped', 'deny']);
  assert.deepEqual(supervisor.workers(), [{ ...record, state: 'exited', requests: 3, exitedAt: 30_003 }]);
});

test('options', () => {
  const asked = (supervisor) => {
    const connection = supervisor.open();
    const rests = [{ type: 'register' }, { type: 'network', hostname: 'A.Example', port: 1 }];
    rests.forEach((rest, number) => {
      const frame = { version: 1, capability: CAPABILITY, id: String(number), workerId: 'w', cwd: '/', ...rest };
      supervisor.receiveLine(connection, JSON.stringify(frame), 0);
    });
    const asks = outputs(supervisor).filter(({ type }) => type === 'ask');
    return [...asks.map(({ hostname }) => hostname), supervisor.nextDeadline()];
  };
  assert.deepEqual(asked(newSupervisor()), ['a.example', 30_000]);
  assert.deepEqual(asked(newSupervisor({ recheck: false, askTimeoutMs: 5 })), ['A.Example', 5]);
  assert.deepEqual(asked(newSupervisor({ askTimeoutMs: Infinity })), ['a.example', undefined]);
  assert.deepEqual(asked(newSupervisor({ limits: { pendingAsks: 0 } })), [undefined]);
  const full = newSupervisor({ limits: { connections: 0 } });
  const connection = full.open();
  assert.deepEqual(outputs(full), [
    { type: 'reply', connection, line: '{"action":"deny"}' },
    { type: 'close', connection },
  ]);
});

test('what waits is withdrawn', () => {
  const [supervisor, worker] = [newSupervisor(), newWorker()];
  exchange(supervisor, worker, worker.register('1', 0), 0);
  const connection = supervisor.open();
  supervisor.receiveLine(connection, worker.network('2', 'ask.example', 443, 0).line, 0);
  const [ask] = outputs(supervisor);
  const expected = { ask: 1, connection, hostname: 'ask.example', port: 443, cwd: '/repo', workerId: 'w' };
  assert.deepEqual(ask, { type: 'ask', ...expected });
  supervisor.close(connection);
  assert.deepEqual(outputs(supervisor), [{ type: 'withdrawn', ask: 1 }]);
  supervisor.answer(1, 'allow', 1);
  assert.deepEqual(outputs(supervisor), []);
});

test('only the word allow allows', () => {
  const [supervisor, worker] = [newSupervisor(), newWorker()];
  exchange(supervisor, worker, worker.register('1', 0), 0);
  const connection = supervisor.open();
  const words = ['Allow', 'allow ', '', null, undefined, true, 1, ['allow'], new String('allow'), Symbol('allow'), 'allow'];
  words.forEach((word, number) => {
    supervisor.receiveLine(connection, worker.network(`n${number}`, 'ask.example', 443, 0).line, 0);
    const [{ ask }] = outputs(supervisor);
    supervisor.answer(ask, word, 0);
    const [{ line }] = outputs(supervisor);
    assert.equal(JSON.parse(line).action, word === 'allow' ? 'allow' : 'deny', String(word));
  });
});

test('a worker whose id begins with U+FEFF is another one', () => {
  const supervisor = newSupervisor();
  for (const id of ['w', '\ufeffw']) {
    const worker = new Worker(engine, CAPABILITY, id, '/repo');
    exchange(supervisor, worker, worker.register(`r${id}`, 0), 0);
  }
  assert.deepEqual(supervisor.workers().map(({ id }) => id), ['w', '\ufeffw']);
});

test('arguments are checked before they cross', () => {
  const [supervisor, worker] = [newSupervisor(), newWorker()];
  const wrong = [
    [-1, RangeError], [1.5, RangeError], [NaN, RangeError], [Infinity, RangeError], [2 ** 53, RangeError],
    ['1', TypeError], [1n, TypeError], [true, TypeError], [null, TypeError], [undefined, TypeError], [[1], TypeError],
  ];
  for (const [number, error] of wrong) {
    assert.throws(() => supervisor.close(number), error, String(number));
    assert.throws(() => supervisor.expire(number), error);
    assert.throws(() => supervisor.receive(1, bytes(''), number), error);
    assert.throws(() => supervisor.receiveLine(number, '', 0), error);
    assert.throws(() => supervisor.answer(number, 'allow', 0), error);
    assert.throws(() => worker.register('1', number), error);
    assert.throws(() => worker.receive(number, bytes(''), 0), error);
    assert.throws(() => worker.end(number), error);
  }
  for (const [port, error] of [[65979, RangeError], [443.9, RangeError], ['443', TypeError], [443n, TypeError]]) {
    assert.throws(() => worker.network('1', 'a.example', port, 0), error);
    assert.throws(() => worker.decide('a.example', port), error);
  }
  for (const call of [
    () => supervisor.receive(1, 'text', 0),
    () => supervisor.receive(1, [1, 2], 0),
    () => worker.receive(1, new ArrayBuffer(1), 0),
    () => worker.network('1', null, 443, 0),
    () => worker.register(Symbol('1'), 0),
    () => new Supervisor(engine, '{}', CAPABILITY),
    () => new Supervisor({}, policy, CAPABILITY),
    () => new Worker({}, CAPABILITY, 'w', '/'),
    () => newSupervisor({ recheck: 'no' }),
    () => newSupervisor({ recheck: 0 }),
    () => newSupervisor({ limits: { workers: '1' } }),
    () => new Worker(engine, CAPABILITY, `w${LONE}`, '/'),
    () => new Worker(engine, CAPABILITY, 'w', `/${LONE}`),
  ]) {
    assert.throws(call, TypeError);
  }
  assert.throws(() => newSupervisor({ limits: { workers: 2 ** 32 } }), RangeError);
  const connection = supervisor.open();
  supervisor.receiveLine(connection, `{"a":"${LONE}"}`, 0);
  assert.deepEqual(outputs(supervisor), [{ type: 'reply', connection, line: '{"action":"deny"}' }]);
});

test('what cannot be made is refused', () => {
  const long = NetworkPolicy.fromLists(engine, Array.from({ length: 1000 }, (_, number) => `host-${number}.example.com`), []);
  for (const [call, message] of [
    [() => new Supervisor(engine, policy, 'ab'), /64 hex digits/],
    [() => new Supervisor(engine, long, CAPABILITY), /policy too large/],
    [() => new Worker(engine, CAPABILITY, '', '/'), /workerId/],
    [() => new Worker(engine, CAPABILITY, 'w', 'repo'), /cwd/],
    [() => newWorker().network('1', 'a.example', 443, 0), /while the worker is new/],
  ]) {
    assert.throws(call, (error) => error instanceof Refused && message.test(error.message));
  }
  // A refusal is an answer: the worker goes on.
  const worker = newWorker();
  assert.throws(() => worker.unregister('1', 0), Refused);
  assert.equal(worker.register('1', 0).exchange, 1);
});

test('a state machine that failed is at its end', () => {
  const { engine, state, restore } = watched();
  try {
    const policy = NetworkPolicy.fromLists(engine, ['ok.example'], []);
    for (const trap of [new WebAssembly.RuntimeError('unreachable'), new RangeError('Maximum call stack size exceeded'), 'odd']) {
      const supervisor = new Supervisor(engine, policy, CAPABILITY);
      const worker = new Worker(engine, CAPABILITY, 'w', '/');
      exchange(supervisor, worker, worker.register('1', 0), 0);
      assert.equal(worker.check('ok.example', 443), 'allow');
      state.trap = trap;
      assert.throws(() => supervisor.open(), PolicyUnavailable);
      assert.equal(worker.decide('ok.example', 443).reason, 'unavailable');
      state.trap = undefined;
      for (const call of [
        () => supervisor.open(),
        () => supervisor.poll(),
        () => supervisor.workers(),
        () => supervisor.shutdown(),
        () => supervisor.receive(1, bytes('{}\n'), 0),
        () => worker.poll(),
        () => worker.stage,
        () => worker.fingerprint,
        () => worker.network('2', 'ok.example', 443, 0),
      ]) {
        assert.throws(call, PolicyUnavailable);
      }
      assert.equal(worker.check('ok.example', 443), 'deny');
      assert.equal(policy.check('ok.example', 443), 'allow', 'others go on');
    }
  } finally {
    restore();
  }
});
