// Answers a question with the package. All that the page says about a configuration comes from here.

import {
  compare,
  ConfigError,
  type Explanation,
  locateEntry,
  NetworkPolicy,
  parseConfig,
  type RuleReference,
  validateConfig,
} from 'pi-sandbox-policy'

import type { Answer, Check, Comparison, ExactEntry, Explained, Located, Question } from './protocol.js'

/** Most witnesses of a comparison that are listed, in each direction. */
export const MOST_CHANGES = 500

/** Answers questions one after the other, and remembers the texts of the last one. */
export function answerer(): (question: Question) => Answer {
  const current = reader()
  const older = reader()
  return (question) => {
    const { text, destinations } = question
    const policy = current(text)
    const check = checkOf(text, policy, question.normalised)
    if (!(policy instanceof NetworkPolicy)) {
      return { version: question.version, check, decisions: [], malformed: new Map(), explained: undefined, comparison: undefined }
    }
    const decisions = destinations.map(({ host, port }) => policy.decide(host, port))
    return {
      version: question.version,
      check,
      decisions,
      malformed: new Map(
        destinations.flatMap(({ host, port }, index) =>
          decisions[index]?.reason === 'malformed-host' ? [[index, policy.explain(host, port).summary] as const] : [],
        ),
      ),
      explained: explain(policy, question),
      comparison: question.older === undefined ? undefined : compareWith(older(question.older), policy),
    }
  }
}

/** Reads the policy of a text, or says why there is none; the same text is read once. */
function reader(): (text: string) => NetworkPolicy | ConfigError {
  let last: { readonly text: string; readonly policy: NetworkPolicy | ConfigError } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, policy: read(text) }
    return last.policy
  }
}

function read(text: string): NetworkPolicy | ConfigError {
  try {
    return NetworkPolicy.fromConfig(text)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

function checkOf(text: string, policy: NetworkPolicy | ConfigError, normalised: boolean): Check {
  const { valid, diagnostics } = validateConfig(text)
  const readable = policy instanceof NetworkPolicy
  // Two answers of the core about one text. If they differ, neither is to be shown.
  if (valid !== readable) throw new Error('the core contradicts itself about this text')
  if (!readable) return { valid: false, diagnostics, refusal: policy.message }
  return {
    valid: true,
    diagnostics,
    fingerprint: policy.fingerprint,
    allowed: policy.allowedDomains.length,
    denied: policy.deniedDomains.length,
    normalised: normalised ? { policy: json(policy), configuration: json(parseConfig(text)) } : undefined,
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function explain(policy: NetworkPolicy, { text, destinations, explained: index }: Question): Explained | undefined {
  const destination = index === undefined ? undefined : destinations[index]
  if (index === undefined || destination === undefined) return undefined
  const explanation = policy.explain(destination.host, destination.port)
  const places = mentioned(explanation).map((rule) => locate(text, rule))
  return { index, explanation, places, exact: exactEntry(explanation, policy, text) }
}

/** Tried first: the core says whether it is an entry, and what it allows. */
function exactEntry({ decision }: Explanation, policy: NetworkPolicy, text: string): ExactEntry | undefined {
  if (decision.action !== 'review') return undefined
  const { host, port } = decision
  const entry = `${host}:${port}`
  const alone = read(JSON.stringify({ network: { allowedDomains: [entry] } }))
  if (!(alone instanceof NetworkPolicy) || alone.check(host, port) !== 'allow') return undefined
  const { length } = policy.allowedDomains
  const last = length === 0 ? undefined : locate(text, { list: 'allowedDomains', index: length - 1 }).range
  return { entry, last }
}

function mentioned({ matches, misses }: Explanation): readonly RuleReference[] {
  return [...matches, ...misses]
}

function locate(text: string, { list, index }: Pick<RuleReference, 'list' | 'index'>): Located {
  const range = locateEntry(text, list, index)
  return { list, index, range: range && { from: range.from, to: range.to, line: range.line } }
}

function compareWith(older: NetworkPolicy | ConfigError, newer: NetworkPolicy): Comparison {
  if (!(older instanceof NetworkPolicy)) return { valid: false, problem: older.message }
  const { relation, narrower, wider } = compare(older, newer)
  const listed = [...wider.slice(0, MOST_CHANGES), ...narrower.slice(0, MOST_CHANGES)]
  return {
    valid: true,
    relation,
    omitted: narrower.length + wider.length - listed.length,
    changes: listed.map(({ host, port }) => ({
      host,
      port,
      old: older.decide(host, port),
      new: newer.decide(host, port),
    })),
  }
}
