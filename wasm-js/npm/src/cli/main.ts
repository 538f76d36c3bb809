import { check } from './commands/check.js'
import { explain } from './commands/explain.js'
import { fingerprint } from './commands/fingerprint.js'
import { type Command, EXIT, UsageError } from './command.js'
import { generalHelp, helpFor } from './help.js'
import { printable, style } from './style.js'
import { version } from './version.js'

const COMMANDS: readonly Command[] = [check, explain, fingerprint]

process.exitCode = main(process.argv.slice(2))

function main([name, ...rest]: readonly string[]): number {
  try {
    return dispatch(name, rest)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${style(process.stderr, 'bad', 'error')}: ${printable(message)}\n`)
    if (!(error instanceof UsageError)) return EXIT.invalid
    process.stderr.write(`${error.help}\n`)
    return EXIT.usage
  }
}

function dispatch(name: string | undefined, rest: readonly string[]): number {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const command = COMMANDS.find((command) => command.name === rest[0])
    const stream = name === undefined ? process.stderr : process.stdout
    stream.write(command === undefined ? generalHelp(COMMANDS) : helpFor(command))
    return name === undefined ? EXIT.usage : EXIT.fine
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version()}\n`)
    return EXIT.fine
  }
  const command = COMMANDS.find((command) => command.name === name)
  if (command === undefined) {
    throw new UsageError(`there is no command "${name}"`, `known are: ${COMMANDS.map(({ name }) => name).join(', ')}`)
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(helpFor(command))
    return EXIT.fine
  }
  return command.run(rest)
}
