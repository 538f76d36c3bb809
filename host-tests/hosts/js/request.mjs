// Reads one request line as strictly as the core reads JSON, which JSON.parse alone does not: no
// lone surrogate, at most 127 arrays and objects open at once, no number that rounds to infinity,
// also in what a later duplicate key overwrites.

const MAX_DEPTH = 127
const TOKEN = /["[\]{}]|-?\d[\d.eE+-]*/g

/** The value of a strict JSON text; throws a SyntaxError for any other text. */
export function parseStrict(text) {
  const value = JSON.parse(text)
  let depth = 0
  TOKEN.lastIndex = 0
  for (let match; (match = TOKEN.exec(text)); ) {
    const [token] = match
    if (token === '"') {
      TOKEN.lastIndex = endOfString(text, match.index)
      if (!isWellFormed(JSON.parse(text.slice(match.index, TOKEN.lastIndex)))) throw new SyntaxError('a lone surrogate')
    } else if (token === '[' || token === '{') depth += 1
    else if (token === ']' || token === '}') depth -= 1
    else if (!Number.isFinite(Number(token))) throw new SyntaxError('a number too large')
    if (depth > MAX_DEPTH) throw new SyntaxError('too deep')
  }
  return value
}

/** Where the string that starts at a quote has ended. A loop, because a pattern would recurse on a long string. */
function endOfString(text, start) {
  for (let at = start + 1; ; at += 1) {
    const c = text[at]
    if (c === '\\') at += 1
    else if (c === '"') return at + 1
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u

function isWellFormed(text) {
  return !LONE_SURROGATE.test(text)
}

const isString = (value) => typeof value === 'string'
const isStrings = (value) => Array.isArray(value) && value.every(isString)
const isSteps = (value) => Array.isArray(value) && value.every((step) => isObject(step) && isString(own(step, 'frame')))
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)
const isOptionalBoolean = (value) => value === undefined || typeof value === 'boolean'
const isPort = (value) => Number.isInteger(value) && value >= 0 && value <= 65535

/** The members each op needs, and what they must be. `network`, `old` and `new` may be anything, or absent. */
const MEMBERS = {
  'parse-config': { text: isString },
  'decode-transport': { text: isString },
  decide: { host: isString, port: isPort },
  'canonicalize-host': { host: isString },
  'normalize-public-hostname': { host: isString },
  'is-public-address': { address: isString },
  'check-addresses': { addresses: isStrings },
  'matching-preflight-prefix': { command: isString, prefixes: isStrings },
  'is-unix-socket-permission-error': { stderr: isString },
  fingerprint: {},
  'validate-config': { text: isString },
  explain: { host: isString, port: isPort },
  compare: {},
  supervise: { capability: isString, recheck: isOptionalBoolean, steps: isSteps },
}

/** The request on a line, or undefined when there is none. */
export function readRequest(line) {
  let request
  try {
    request = parseStrict(line)
  } catch {
    return undefined
  }
  if (request === null || typeof request !== 'object' || !isString(own(request, 'op'))) return undefined
  const members = own(MEMBERS, request.op)
  const complete = members && Object.entries(members).every(([name, is]) => is(own(request, name)))
  return complete ? request : undefined
}

/** Members only, never what a prototype offers. */
export function own(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
