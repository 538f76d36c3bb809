import { EXIT } from './command.js'

/** Writes an answer. */
export function print(text: string): void {
  process.stdout.write(text)
}

/** Writes an answer for programs, on one line. */
export function printJson(answer: object): void {
  print(`${JSON.stringify(answer)}\n`)
}

/** What happens when the answer cannot be written. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `| head` has read enough: the exit code still holds.
    if (error.code === 'EPIPE') return
    process.stderr.write(`error: cannot write the answer: ${error.message}\n`)
    process.exitCode = EXIT.unanswered
  })
  process.stderr.on('error', () => {})
}
