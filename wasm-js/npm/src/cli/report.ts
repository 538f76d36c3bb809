import type { Diagnostic, Validation } from '../internal.js'
import type { Configuration } from './configuration.js'
import { printable } from './terminal/cells.js'
import { Excerpts } from './terminal/excerpt.js'
import type { Meaning, Terminal } from './terminal/terminal.js'

/** All that was found in a configuration, and a last line that sums it up. */
export function report(configuration: Configuration, validation: Validation, terminal: Terminal): string {
  const { diagnostics } = validation
  const lastLine = diagnostics.reduce((last, { line }) => Math.max(last, line), 1)
  const excerpts = new Excerpts(configuration.text, lastLine, terminal)
  const shown = diagnostics.map((diagnostic) => show(configuration, diagnostic, excerpts, terminal))
  return [...shown, summary(configuration, validation, terminal)].join('\n')
}

/** The same for programs. */
export function validationJson({ file }: Configuration, validation: Validation): object {
  return { file, ...validation }
}

const MEANINGS: Readonly<Record<Diagnostic['severity'], Meaning>> = { error: 'error', warning: 'warning', info: 'info' }

function show({ name, text }: Configuration, diagnostic: Diagnostic, excerpts: Excerpts, terminal: Terminal): string {
  const { severity, code, path, line, column, message, help, fix } = diagnostic
  const meaning = MEANINGS[severity]
  const where = path === '' ? '' : `, ${printable(path)}`
  const parts = [
    `${terminal.paint(meaning, `${severity}[${code}]`)}: ${printable(message)}\n`,
    excerpts.place(`${printable(name)}:${line}:${column}${where}`),
    excerpts.marked(diagnostic, line, meaning),
  ]
  if (help !== null) parts.push(excerpts.note('help', printable(help)))
  // To take something away there is nothing to write.
  if (fix !== null && fix.text !== '') {
    parts.push(excerpts.replaced(fix, fix.text, line + linesBetween(text, diagnostic.from, fix.from)))
  }
  return parts.join('')
}

/** How many lines further down `to` is than `from`; negative when it is further up. */
function linesBetween(text: string, from: number, to: number): number {
  return to < from ? -linesBetween(text, to, from) : text.slice(from, to).split('\n').length - 1
}

function summary({ name }: Configuration, { valid, diagnostics, omitted }: Validation, terminal: Terminal): string {
  const verdict = valid ? terminal.paint('good', 'valid') : terminal.paint('error', 'not valid')
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const found = diagnostics.filter((found) => found.severity === severity && found.code !== 'more-problems').length
    return found === 0 ? [] : [count(found, severity)]
  })
  if (omitted > 0) counts.push(`${omitted} more that ${omitted === 1 ? 'is' : 'are'} not listed`)
  const hint = valid && counts.length > 0 ? 'what a code means: pi-sandbox-policy lint --explain CODE\n' : ''
  return `${printable(name)}: ${[verdict, ...counts].join(', ')}\n${hint}`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
