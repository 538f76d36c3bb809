/** One command of the program. */
export interface Command {
  readonly name: string
  /** What follows the name. */
  readonly usage: string
  /** One line. */
  readonly summary: string
  /** The rest of the help. */
  readonly details: string
  /** The options that it has; every command has `--help`. */
  readonly options: readonly OptionName[]
  /** Runs it; gives the exit code. */
  readonly run: (given: Given) => Promise<number>
}

/** The options of all commands, each with what follows it. */
export const OPTIONS = { config: 'a file', explain: 'a code', json: undefined } as const

export type OptionName = keyof typeof OPTIONS

/** What was typed behind the name of a command. */
export interface Given {
  readonly operands: readonly string[]
  readonly config: string | undefined
  /** Empty where no code follows. */
  readonly explain: string | undefined
  readonly json: boolean
}

/** The exit codes of all commands. */
export const EXIT = {
  /** The configuration is fine, every destination is allowed, a change gives no more access. */
  fine: 0,
  /** The configuration is invalid, a destination is denied, a change gives more access. */
  no: 1,
  /** No answer: a mistake in what was typed, or a file that cannot be read. */
  unanswered: 2,
  /** A destination goes to review, and none is denied. */
  review: 3,
} as const

/** How a command is typed. */
export function usageLine({ name, usage }: Pick<Command, 'name' | 'usage'>): string {
  return `usage: pi-sandbox-policy ${name} ${usage}`
}
