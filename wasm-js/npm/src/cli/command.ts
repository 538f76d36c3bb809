import { parseArgs, type ParseArgsConfig } from 'node:util'

/** One command of the program. */
export interface Command {
  readonly name: string
  /** What follows the name. */
  readonly usage: string
  /** One line. */
  readonly summary: string
  /** The rest of the help. */
  readonly details: string
  /** Runs it; gives the exit code. */
  readonly run: (args: readonly string[]) => number
}

/** The exit codes of all commands. */
export const EXIT = {
  /** The configuration is fine; every destination is allowed. */
  fine: 0,
  /** The configuration is invalid or cannot be read; a destination is denied. */
  invalid: 1,
  deny: 1,
  /** The program was called in a way that it does not understand. */
  usage: 2,
  /** A destination needs a review, and none is denied. */
  review: 3,
} as const

/** The program was called in a way that it does not understand; `help` says what to type. */
export class UsageError extends Error {
  readonly help: string

  constructor(message: string, help: string) {
    super(message)
    this.help = help
  }
}

/** `parseArgs`, with errors in our own words. */
export function readArgs<T extends NonNullable<ParseArgsConfig['options']>>(
  command: Pick<Command, 'name' | 'usage'>,
  args: readonly string[],
  options: T,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    // Node's message goes on about `--`; its first sentence says what is wrong.
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error)
    throw new UsageError(message, usageLine(command))
  }
}

/** How a command is typed. */
export function usageLine({ name, usage }: Pick<Command, 'name' | 'usage'>): string {
  return `usage: pi-sandbox-policy ${name} ${usage}`
}

/** At most one argument: the file. */
export function readOneFile(command: Pick<Command, 'name' | 'usage'>, positionals: readonly string[]): string | undefined {
  if (positionals.length > 1) {
    throw new UsageError(`${command.name} takes one file, not ${positionals.length}`, usageLine(command))
  }
  return positionals[0]
}
