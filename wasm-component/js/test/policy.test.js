import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ConfigError, ListsError, NetworkPolicy, PolicyEngine, PolicyUnavailable, loadSync } from '../src/node.js';
import { watched } from './support/watched.js';

const engine = loadSync();
const LONE = '\ud800';
const CONFIG = `{
  "subagents": {"provider": "pi-subagents", "externalWorkerIsolation": "enforce"},
  "filesystem": {"additionalAllowRead": ["/opt/a", "/opt/b"]},
  "network": {
    "allowedDomains": ["*.github.com:443", " registry.npmjs.org ", "github.com"],
    "deniedDomains": ["gist.github.com", "10.0.0.1"]
  },
  "hostIPC": {"mode": "ask", "preflightCommandPrefixes": ["docker"], "retryOnUnixSocketError": true}
}`;
const example = () => NetworkPolicy.fromConfig(engine, CONFIG);

test('every outcome', () => {
  const policy = example();
  const expected = {
    'API.GitHub.com.': {
      action: 'allow', reason: 'rule', list: 'allowedDomains', index: 0, pattern: '*.github.com:443', host: 'api.github.com', port: 443,
    },
    'gist.github.com': {
      action: 'deny', reason: 'rule', list: 'deniedDomains', index: 0, pattern: 'gist.github.com', host: 'gist.github.com', port: 443,
    },
    'example.com': { action: 'review', reason: 'unmatched', host: 'example.com', port: 443 },
    '0x7f.1': { action: 'deny', reason: 'not-public', host: '127.0.0.1', port: 443 },
    'a b': { action: 'deny', reason: 'malformed-host', host: null, port: 443 },
    '': { action: 'deny', reason: 'malformed-host', host: null, port: 443 },
    'bücher.example': { action: 'deny', reason: 'malformed-host', host: null, port: 443 },
    ['x'.repeat(100_000)]: { action: 'deny', reason: 'malformed-host', host: null, port: 443 },
  };
  for (const [host, decision] of Object.entries(expected)) {
    assert.deepEqual(policy.decide(host, 443), decision);
    // The members in the order of every other host.
    assert.equal(JSON.stringify(policy.decide(host, 443)), JSON.stringify(decision));
    assert.equal(policy.check(host, 443), decision.action);
  }
  const destinations = Array.from({ length: 300 }, () => Object.keys(expected).map((host) => [host, 443])).flat();
  const decisions = policy.decideMany(destinations);
  assert.equal(decisions.length, destinations.length);
  decisions.forEach((decision, index) => assert.deepEqual(decision, expected[destinations[index][0]]));
  const actions = policy.checkMany(new Set(destinations));
  assert.deepEqual(actions, decisions.map(({ action }) => action));
  assert.deepEqual(policy.decideMany([]), []);
});

test('lists and fingerprint', () => {
  const policy = example();
  assert.deepEqual(policy.allowedDomains, ['*.github.com:443', 'registry.npmjs.org', 'github.com']);
  assert.deepEqual(policy.deniedDomains, ['gist.github.com', '10.0.0.1']);
  assert.match(policy.fingerprint, /^sha256:[0-9a-f]{64}$/);
  const again = NetworkPolicy.fromTransport(engine, JSON.stringify(policy));
  assert.equal(again.fingerprint, policy.fingerprint);
  const lists = NetworkPolicy.fromLists(engine, policy.allowedDomains, policy.deniedDomains);
  assert.equal(lists.fingerprint, policy.fingerprint);
  policy.allowedDomains.push('evil.example');
  assert.equal(policy.allowedDomains.length, 3);
});

test('a text that starts with U+FEFF keeps it', () => {
  const policy = NetworkPolicy.fromLists(engine, ['\ufeffa.example', '\ufeff\ufeffb.example'], ['\ufeffc.example']);
  assert.deepEqual(policy.toJSON(), {
    allowedDomains: ['\ufeffa.example', '\ufeff\ufeffb.example'],
    deniedDomains: ['\ufeffc.example'],
  });
  assert.throws(() => engine.parseConfig('\ufeff{}'), { name: 'ConfigError', message: 'invalid JSON' });
});

test('configuration', () => {
  assert.deepEqual(engine.parseConfig(CONFIG), {
    subagents: { provider: 'pi-subagents', externalWorkerIsolation: 'enforce' },
    filesystem: { additionalAllowRead: ['/opt/a', '/opt/b'] },
    network: {
      allowedDomains: ['*.github.com:443', 'registry.npmjs.org', 'github.com'],
      deniedDomains: ['gist.github.com', '10.0.0.1'],
    },
    hostIPC: { mode: 'ask', preflightCommandPrefixes: ['docker'], retryOnUnixSocketError: true },
  });
});

test('diagnostics', () => {
  const text = '{"é": 1, "network": {"allowedDomains": ["a.example", "https://x.example/"]}}';
  const { diagnostics, omitted, error } = engine.validateConfig(text);
  assert.deepEqual(diagnostics.map(({ code }) => code), ['unknown-key', 'entry-url']);
  const { path, start, line, column, columnUtf16, severity } = diagnostics[0];
  assert.deepEqual({ path, start, line, column, columnUtf16, severity, omitted }, {
    path: '["é"]', start: 1, line: 1, column: 2, columnUtf16: 2, severity: 'error', omitted: 0,
  });
  const { fix } = diagnostics[1];
  const bytes = Buffer.from(text);
  const fixed = Buffer.concat([bytes.subarray(0, fix.start), Buffer.from(fix.text), bytes.subarray(fix.end)]).toString();
  assert.deepEqual(engine.validateConfig(fixed).diagnostics.map(({ code }) => code), ['unknown-key']);
  assert.ok(error instanceof ConfigError);
  assert.throws(() => engine.parseConfig(text), { message: error.message });
  const lints = engine.validateConfig('{"network": {"allowedDomains": ["a.example", "a.example"]}}');
  assert.deepEqual([lints.error, lints.diagnostics[0].code], [null, 'duplicate-pattern']);

  const place = engine.locateEntry(CONFIG, 'allowedDomains', 1);
  assert.equal(CONFIG.slice(place.start, place.end), '" registry.npmjs.org "');
  assert.equal(engine.locateEntry(CONFIG, 'deniedDomains', 2), null);
  for (const index of [-1, 1.5, NaN, 2 ** 32]) {
    assert.throws(() => engine.locateEntry(CONFIG, 'deniedDomains', index), RangeError);
  }
  assert.throws(() => engine.locateEntry(CONFIG, 'allowed', 0), TypeError);
  assert.equal(JSON.parse(engine.configSchema()).title, 'pi-sandbox');
});

test('explanations', () => {
  const explanation = example().explain('GITHUB.com.', 443);
  assert.deepEqual(explanation.decision, example().decide('github.com', 443));
  assert.deepEqual(explanation.steps.map(({ step }) => step), ['lower-case', 'dot']);
  assert.deepEqual(explanation.matches, [{ list: 'allowedDomains', index: 2, pattern: 'github.com', decides: true }]);
  assert.deepEqual([explanation.misses, explanation.missesOmitted], [[], 0]);
  const [miss] = NetworkPolicy.fromLists(engine, ['a.example:443'], []).explain('a.example', 80).misses;
  assert.deepEqual([miss.kind, miss.suggestion], ['port', 'a.example:80']);
});

test('comparisons', () => {
  const older = NetworkPolicy.fromLists(engine, ['a.example'], []);
  const newer = NetworkPolicy.fromLists(engine, [], ['b.example']);
  const { relation, narrower, wider } = older.compare(newer);
  assert.deepEqual([relation, wider], ['narrower', []]);
  assert.deepEqual(narrower.map((one) => [one.host, one.old, one.new]).sort(), [
    ['a.example', 'allow', 'review'],
    ['b.example', 'review', 'deny'],
  ]);
  assert.equal(older.compare(older).relation, 'equal');
  assert.deepEqual([newer.isNoWiderThan(older), older.isNoWiderThan(newer)], [true, false]);
  // Policies of two engines have instances of their own.
  const other = NetworkPolicy.fromLists(loadSync(), ['a.example'], []);
  assert.equal(older.compare(other).relation, 'equal');
  assert.throws(() => older.compare({}), TypeError);
});

test('errors', () => {
  for (const read of [(text) => engine.parseConfig(text), (text) => NetworkPolicy.fromConfig(engine, text)]) {
    assert.throws(() => read('{"network":\n  {"é": 1,}}'), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.equal(error.message, 'invalid JSON');
      assert.deepEqual(error.position, { offset: 22, line: 2, column: 10 });
      return true;
    });
    assert.throws(() => read('[]'), (error) => {
      assert.equal(error.message, 'invalid pi-sandbox configuration: root must be an object');
      assert.equal(error.position, undefined);
      return true;
    });
  }
  assert.throws(() => NetworkPolicy.fromLists(engine, ['a.b'], ['c.d', 'bad']), (error) => {
    assert.ok(error instanceof ListsError);
    assert.deepEqual(error.entry, { list: 'deniedDomains', index: 1 });
    return true;
  });
});

test('transport that does not decode denies everything', () => {
  for (const text of ['', 'null', '{}', '{"allowedDomains":["a.b"]}', `{"allowedDomains":["a.b"],"deniedDomains":["${LONE}"]}`]) {
    const policy = NetworkPolicy.fromTransport(engine, text);
    assert.equal(JSON.stringify(policy), '{"allowedDomains":[],"deniedDomains":["*"]}');
    assert.equal(policy.check('a.b', 443), 'deny');
  }
});

test('names, addresses and host IPC', () => {
  assert.equal(engine.canonicalizeHost('[::FFFF:1.2.3.4]'), '1.2.3.4');
  assert.equal(engine.canonicalizeHost('.'), '');
  assert.equal(engine.canonicalizeHost('a b'), null);
  assert.equal(engine.normalizePublicHostname(' A.example. '), 'a.example');
  assert.equal(engine.normalizePublicHostname('localhost'), null);
  assert.equal(engine.isPublicAddress('140.82.112.3'), true);
  assert.equal(engine.isPublicAddress('10.0.0.1'), false);
  assert.equal(engine.checkAddresses([]), false);
  assert.equal(engine.checkAddresses(['140.82.112.3', '2606:4700::1']), true);
  assert.equal(engine.checkAddresses(new Set(['140.82.112.3', '::1'])), false);
  assert.equal(engine.matchingPreflightPrefix('git push', ['gi', 'git']), 'git');
  assert.equal(engine.matchingPreflightPrefix(' ', ['']), '');
  assert.equal(engine.matchingPreflightPrefix('git', []), null);
  assert.equal(engine.isUnixSocketPermissionError('connect: Operation not permitted'), true);
});

test('a port is an integer from 0 to 65535', () => {
  const policy = NetworkPolicy.fromLists(engine, ['a.example:443'], []);
  const wrong = [
    [65979, RangeError], [-65093, RangeError], [-1, RangeError], [65536, RangeError], [443.9, RangeError], [NaN, RangeError],
    [Infinity, RangeError], ['443', TypeError], [[443], TypeError], [true, TypeError], [null, TypeError], [undefined, TypeError],
    [443n, TypeError], [{ valueOf: () => 443 }, TypeError],
  ];
  for (const [port, error] of wrong) {
    assert.throws(() => policy.decide('a.example', port), error, String(port));
    assert.throws(() => policy.check('a.example', port), error);
    assert.throws(() => policy.explain('a.example', port), error);
    assert.throws(() => policy.decideMany([['a.example', 443], ['a.example', port]]), error);
    assert.throws(() => policy.checkMany([['a.example', port]]), error);
  }
  assert.deepEqual([0, -0, 80, 443, 65535].map((port) => policy.check('a.example', port)), ['review', 'review', 'review', 'allow', 'review']);
});

test('a text is a string', () => {
  const policy = example();
  for (const host of [null, undefined, 1, ['github.com'], { toString: () => 'github.com' }, new String('github.com'), Symbol('a')]) {
    assert.throws(() => policy.decide(host, 443), TypeError);
    assert.throws(() => policy.check(host, 443), TypeError);
    assert.throws(() => policy.checkMany([[host, 443]]), TypeError);
    assert.throws(() => engine.canonicalizeHost(host), TypeError);
    assert.throws(() => engine.parseConfig(host), TypeError);
    assert.throws(() => NetworkPolicy.fromLists(engine, [host], []), TypeError);
  }
  assert.throws(() => NetworkPolicy.fromLists(engine, 'a.b', []), TypeError);
  assert.throws(() => new NetworkPolicy(), TypeError);
  assert.throws(() => NetworkPolicy.fromConfig({}, '{}'), TypeError);
  assert.throws(() => engine.parseConfig(' '.repeat(2 ** 26 + 1)), RangeError);
});

test('lone surrogates are never repaired', () => {
  const policy = NetworkPolicy.fromLists(engine, ['github.com'], []);
  for (const host of [LONE, `github.com${LONE}`, `${LONE}github.com`, `github${LONE}.com`, '\udc80']) {
    assert.equal(policy.decide(host, 443).reason, 'malformed-host');
    assert.equal(policy.check(host, 443), 'deny');
    assert.equal(engine.canonicalizeHost(host), null);
    assert.equal(engine.normalizePublicHostname(host), null);
  }
  assert.equal(engine.isPublicAddress(`140.82.112.3${LONE}`), false);
  assert.equal(engine.checkAddresses(['140.82.112.3', LONE]), false);
  assert.throws(() => engine.parseConfig(`{"a": "é${LONE}"}`), (error) => {
    assert.equal(error.message, 'invalid JSON');
    assert.deepEqual(error.position, { offset: 9, line: 1, column: 9 });
    return true;
  });
  assert.throws(() => NetworkPolicy.fromLists(engine, ['a.b', `a.${LONE}b`], []), (error) => {
    assert.deepEqual(error.entry, { list: 'allowedDomains', index: 1 });
    return true;
  });
  assert.throws(() => engine.matchingPreflightPrefix(`git${LONE}`, ['git']), TypeError);
  assert.throws(() => engine.matchingPreflightPrefix('git', ['git', LONE]), TypeError);
  assert.throws(() => engine.isUnixSocketPermissionError(LONE), TypeError);
});

test('it runs with what a browser has', async () => {
  const { modules } = await import('../generated/modules.js');
  const { readFile } = await import('node:fs/promises');
  const fetched = globalThis.fetch;
  globalThis.fetch = async (url) => new Response(await readFile(url), { status: 200 });
  try {
    const loaded = await PolicyEngine.load();
    assert.equal(NetworkPolicy.fromLists(loaded, ['a.b'], []).check('a.b', 1), 'allow');
    globalThis.fetch = async () => new Response('', { status: 404 });
    await assert.rejects(PolicyEngine.load(), /404/);
  } finally {
    globalThis.fetch = fetched;
  }
  assert.ok(modules.includes('policy.core.wasm'));
  const sources = ['index', 'engine', 'policy', 'protocol', 'answers', 'arguments', 'errors'].map((name) => `../src/${name}.js`);
  for (const name of [...sources, '../generated/policy.js']) {
    const source = await readFile(new URL(name, import.meta.url), 'utf8');
    assert.doesNotMatch(source, /from '(node:|[^.])|import\('|require\(/, name);
  }
});

test('a trap denies once', () => {
  const { engine, state, restore } = watched();
  try {
    const policy = NetworkPolicy.fromConfig(engine, CONFIG);
    const other = NetworkPolicy.fromLists(engine, ['other.example'], []);
    assert.equal(state.instances, 1);
    for (const trap of [new WebAssembly.RuntimeError('unreachable'), new RangeError('Maximum call stack size exceeded'), new Error('x'), 'odd']) {
      state.trap = trap;
      assert.deepEqual(policy.decide('github.com', 443), { action: 'deny', reason: 'unavailable', host: null, port: 443 });
      assert.equal(policy.check('github.com', 443), 'deny');
      assert.deepEqual(policy.checkMany([['github.com', 443]]), ['deny']);
      assert.deepEqual(policy.decideMany([['github.com', 443], ['a.b', 80]]).map(({ reason, port }) => [reason, port]), [
        ['unavailable', 443],
        ['unavailable', 80],
      ]);
      assert.equal(engine.isPublicAddress('140.82.112.3'), false);
      assert.equal(engine.checkAddresses(['140.82.112.3']), false);
      assert.throws(() => engine.parseConfig('{}'), PolicyUnavailable);
      assert.throws(() => NetworkPolicy.fromConfig(engine, '{}'), PolicyUnavailable);
      assert.throws(() => NetworkPolicy.fromLists(engine, [], []), PolicyUnavailable);
      assert.throws(() => NetworkPolicy.fromTransport(engine, '{}'), PolicyUnavailable);
      assert.throws(() => engine.canonicalizeHost('a.b'), PolicyUnavailable);
      assert.throws(() => engine.validateConfig('{}'), PolicyUnavailable);
      assert.throws(() => engine.configSchema(), PolicyUnavailable);
      assert.throws(() => policy.explain('github.com', 443), PolicyUnavailable);
      assert.throws(() => policy.compare(other), PolicyUnavailable);
      assert.equal(policy.isNoWiderThan(policy), false);
      state.trap = undefined;

      const before = state.instances;
      assert.equal(policy.check('github.com', 443), 'allow');
      assert.equal(policy.decide('github.com', 443).pattern, 'github.com');
      assert.equal(other.check('other.example', 1), 'allow');
      assert.equal(engine.isPublicAddress('140.82.112.3'), true);
      assert.equal(state.instances, before + 1, 'one new instance serves all');
    }
  } finally {
    restore();
  }
});

test('a stack overflow does not last', () => {
  const policy = example();
  const actions = new Set();
  const dig = () => {
    actions.add(policy.check('github.com', 443));
    dig();
  };
  for (let round = 0; round < 3; round += 1) {
    assert.throws(dig, RangeError);
    assert.equal(policy.check('github.com', 443), 'allow');
    assert.equal(policy.check('gist.github.com', 443), 'deny');
    assert.equal(engine.canonicalizeHost('A.b'), 'a.b');
  }
  actions.delete('deny');
  assert.deepEqual([...actions], ['allow']);
});

test('policies that nobody refers to are unloaded', { skip: globalThis.gc === undefined }, async () => {
  const { engine, state, restore } = watched();
  restore();
  const entries = Array.from({ length: 2000 }, (_, number) => `host-${number}.example.com`);
  const policy = NetworkPolicy.fromLists(engine, entries, []);
  for (let round = 0; round < 300; round += 1) {
    NetworkPolicy.fromLists(engine, entries, []);
    if (round % 10 === 0) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  assert.equal(state.instances, 1);
  assert.ok(state.memory.buffer.byteLength < 16 << 20, `${state.memory.buffer.byteLength} bytes`);
  assert.equal(policy.check('host-1999.example.com', 443), 'allow');
});
