// Answers, and what stands for one that did not come.

import { ConfigError, ListsError, PolicyUnavailable } from './errors.js';

/** As the interface spells a list, and as a document does. */
const LISTS = { __proto__: null, 'allowed-domains': 'allowedDomains', 'denied-domains': 'deniedDomains' };

/** As a document spells a list, and as the interface does. */
const LIST_CASES = { __proto__: null, allowedDomains: 'allowed-domains', deniedDomains: 'denied-domains' };

export function toDecision({ tag, val }) {
  switch (tag) {
    case 'allow':
      return { action: 'allow', reason: 'rule', ...toRule(val.rule), host: val.host, port: val.port };
    case 'review':
      return { action: 'review', reason: 'unmatched', host: val.host, port: val.port };
    case 'deny':
      return toDenial(val.reason, val.port);
    default:
      throw new Error(`a decision cannot be ${tag}`);
  }
}

function toDenial({ tag, val }, port) {
  switch (tag) {
    case 'malformed-host':
      return { action: 'deny', reason: 'malformed-host', host: null, port };
    case 'rule':
      return { action: 'deny', reason: 'rule', ...toRule(val.rule), host: val.host, port };
    case 'not-public':
      return { action: 'deny', reason: 'not-public', host: val, port };
    default:
      throw new Error(`a reason cannot be ${tag}`);
  }
}

function toRule({ list, index, pattern }) {
  return { list: LISTS[list], index, pattern };
}

export function toAction(action) {
  if (action !== 'allow' && action !== 'review' && action !== 'deny') {
    throw new Error(`an action cannot be ${action}`);
  }
  return action;
}

export function unavailable(port) {
  return { action: 'deny', reason: 'unavailable', host: null, port };
}

/** The fallback, when the error says that the component did not answer. */
export function denied(error, fallback) {
  if (error instanceof PolicyUnavailable) {
    return fallback;
  }
  throw error;
}

/** Calls, and makes an error of an error result, which comes as a plain record with a message. */
export function answer(call, toError) {
  try {
    return call();
  } catch (error) {
    const isRecord = !(error instanceof Error) && typeof error?.message === 'string';
    throw isRecord ? toError(error) : error;
  }
}

export function configError({ message, position }) {
  return new ConfigError(message, position && { offset: position.offset, line: position.line, column: position.column });
}

export function listsError({ message, entry }) {
  return new ListsError(message, entry && { list: LISTS[entry.list], index: entry.index });
}

export function listCase(list) {
  const name = LIST_CASES[list];
  if (name === undefined) {
    throw new TypeError('a list is allowedDomains or deniedDomains');
  }
  return name;
}

export function toValidation({ diagnostics, omitted, error }) {
  return { diagnostics: diagnostics.map(toDiagnostic), omitted, error: error ? configError(error) : null };
}

function toDiagnostic({ severity, code, path, start, end, line, column, message, help, columnUtf16, fix }) {
  const replacement = fix ? { start: fix.start, end: fix.end, text: fix.text } : null;
  return { severity, code, path, start, end, line, column, message, help: help ?? null, columnUtf16, fix: replacement };
}

export function toPlace(place) {
  if (place === undefined) {
    return null;
  }
  const { start, end, line, column, columnUtf16 } = place;
  return { start, end, line, column, columnUtf16 };
}

export function toExplanation({ decision, summary, steps, matches, matchesOmitted, misses, missesOmitted }) {
  return {
    decision: toDecision(decision),
    summary,
    steps: steps.map(({ step, host, message }) => ({ step, host, message })),
    matches: matches.map(({ rule, decides }) => ({ ...toRule(rule), decides })),
    matchesOmitted,
    misses: misses.map(({ kind, rule, message, suggestion }) => ({ kind, ...toRule(rule), message, suggestion: suggestion ?? null })),
    missesOmitted,
  };
}

export function toComparison({ relation, narrower, wider }) {
  const witness = (one) => ({ host: one.host, port: one.port, old: toAction(one.old), new: toAction(one.new) });
  return { relation, narrower: narrower.map(witness), wider: wider.map(witness) };
}
