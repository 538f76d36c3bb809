/** What a value is, for a message. */
export function kind(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`
}
