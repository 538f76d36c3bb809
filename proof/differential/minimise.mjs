// Makes a failing case smaller while it still fails.

/** The smallest case found from which no single step leads to a smaller one that fails. */
export function minimise(test, fails) {
  let smallest = test
  for (let progress = true; progress; ) {
    progress = false
    for (const smaller of steps(smallest)) {
      if (fails(smaller)) {
        smallest = smaller
        progress = true
        break
      }
    }
  }
  return smallest
}

function* steps(value) {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) yield value.toSpliced?.(at, 1) ?? [...value.slice(0, at), ...value.slice(at + 1)]
    for (let at = 0; at < value.length; at += 1) for (const step of steps(value[at])) yield value.map((item, index) => (index === at ? step : item))
  } else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) {
      if (FIXED.has(key)) continue
      for (const step of steps(member)) yield { ...value, [key]: step }
    }
  } else if (typeof value === 'string') {
    for (let length = value.length >> 1; length >= 1; length >>= 1) {
      for (let at = 0; at + length <= value.length; at += length) yield value.slice(0, at) + value.slice(at + length)
    }
  }
}

const FIXED = new Set(['kind', 'list', 'way', 'answer', 'op', 'capability'])
