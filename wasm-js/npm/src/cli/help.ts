import { type Command, usageLine } from './command.js'
import { version } from './version.js'

/** The help of the program. */
export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return `pi-sandbox-policy ${version()}: which hosts a sandboxed command may reach

usage: pi-sandbox-policy COMMAND [ARGUMENT]…

${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

  pi-sandbox-policy COMMAND --help tells more about one of them, --version the version.

FILE is a configuration, - is standard input, and --config FILE means the same as FILE. Without one,
a command reads the trusted configuration,
  ~/.pi/agent/extensions/pi-sandbox/config.json, or else ~/.pi/agent/pi-sandbox.json,
and the defaults hold when neither exists. The directory you are in is never looked at.

exit codes
  0  valid; allowed; no more access than before
  1  invalid; denied; more access than before; for lint, a warning
  2  no answer: a mistake in the command, or a file that cannot be read
  3  sent to review

With --json each answer is one line of JSON, errors too. Colours are for terminals: NO_COLOR=1 turns
them off, FORCE_COLOR=1 on.
`
}

/** The help of one command. */
export function helpFor(command: Command): string {
  return `${usageLine(command)}\n\n${command.summary}\n\n${command.details}\n`
}
