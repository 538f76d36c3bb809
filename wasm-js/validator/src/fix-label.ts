import type { Fix } from 'pi-sandbox-policy'

/** What a fix does, in words. */
export function fixLabel({ from, to, text }: Fix): string {
  const written = text.replaceAll(/^[\s,]+|[\s,]+$/g, '')
  if (written === '') return 'remove it'
  const shown = written.length > 60 ? `${written.slice(0, 60)}…` : written
  return `${from === to ? 'add' : 'write'} ${shown}`
}
