/** Freezes plain data throughout. */
export function freezeAll<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freezeAll)
    Object.freeze(value)
  }
  return value
}
