import { Mistake } from './errors.js'
import { printable } from './terminal/cells.js'
import { terminalOf } from './terminal/terminal.js'

/** Tells on standard error why there is no answer. */
export function tell(error: unknown): void {
  process.stderr.write(`${terminalOf(process.stderr).paint('error', 'error')}: ${printable(messageOf(error))}\n`)
  if (error instanceof Mistake) {
    const label = error.help.startsWith('usage: ') ? '' : 'help: '
    process.stderr.write(`${label}${printable(error.help)}\n`)
  }
}

/** The same for programs. */
export function failureJson(error: unknown): { readonly error: object } {
  return { error: { message: messageOf(error), help: error instanceof Mistake ? error.help : null } }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
