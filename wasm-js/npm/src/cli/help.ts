import { type Command, usageLine } from './command.js'
import { version } from './version.js'

/** The help of the program. */
export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return `pi-sandbox-policy ${version()}: which hosts a sandboxed command may reach

usage: pi-sandbox-policy COMMAND [ARGUMENT]…

${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

  pi-sandbox-policy COMMAND --help tells more about one of them, --version the version.

Without a file, a command reads the trusted configuration,
  ~/.pi/agent/extensions/pi-sandbox/config.json, or else ~/.pi/agent/pi-sandbox.json,
and the defaults hold when neither exists. The folder you are in is never looked at.

Exit codes: 0 fine or allowed, 1 invalid or denied, 2 not understood, 3 to be reviewed.
With --json each answer is one line of JSON.
`
}

/** The help of one command. */
export function helpFor(command: Command): string {
  return `${usageLine(command)}\n\n${command.summary}\n\n${command.details}\n`
}
