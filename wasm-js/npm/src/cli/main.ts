import { readArguments } from './arguments.js'
import { type Command, EXIT } from './command.js'
import { check } from './commands/check.js'
import { compare } from './commands/compare.js'
import { explain } from './commands/explain.js'
import { fingerprint } from './commands/fingerprint.js'
import { lint } from './commands/lint.js'
import { schema } from './commands/schema.js'
import { InvalidConfiguration, Mistake } from './errors.js'
import { generalHelp, helpFor } from './help.js'
import { print, printJson, watchOutput } from './output.js'
import { report, validationJson } from './report.js'
import { printable } from './terminal/cells.js'
import { terminalOf } from './terminal/terminal.js'
import { version } from './version.js'

const COMMANDS: readonly Command[] = [check, lint, explain, compare, fingerprint, schema]

watchOutput()
void main(process.argv.slice(2)).then((code) => {
  process.exitCode ??= code
})

async function main(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args)
  } catch (error) {
    return args.includes('--json') ? failInJson(error) : fail(error)
  }
}

async function dispatch([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined) {
    process.stderr.write(generalHelp(COMMANDS))
    return EXIT.unanswered
  }
  const isHelp = (text: string): boolean => text === '--help' || text === '-h'
  if (isHelp(name) || name === 'help') {
    const topic = rest.find((text) => !isHelp(text))
    print(topic === undefined ? generalHelp(COMMANDS) : helpFor(find(topic)))
    return EXIT.fine
  }
  if (name === '--version' || name === '-v') {
    print(`${version()}\n`)
    return EXIT.fine
  }
  const command = find(name)
  if (rest.some(isHelp)) {
    print(helpFor(command))
    return EXIT.fine
  }
  return command.run(readArguments(command, rest))
}

function find(name: string): Command {
  const command = COMMANDS.find((command) => command.name === name)
  if (command !== undefined) return command
  throw new Mistake(`there is no command \`${name}\``, `the commands are ${COMMANDS.map(({ name }) => name).join(', ')}`)
}

function fail(error: unknown): number {
  const terminal = terminalOf(process.stderr)
  if (error instanceof InvalidConfiguration) {
    process.stderr.write(report(error.configuration, error.validation, terminal))
    return EXIT.no
  }
  process.stderr.write(`${terminal.paint('error', 'error')}: ${printable(messageOf(error))}\n`)
  if (error instanceof Mistake) {
    const label = error.help.startsWith('usage: ') ? '' : 'help: '
    process.stderr.write(`${label}${printable(error.help)}\n`)
  }
  return EXIT.unanswered
}

function failInJson(error: unknown): number {
  if (error instanceof InvalidConfiguration) {
    printJson(validationJson(error.configuration, error.validation))
    return EXIT.no
  }
  printJson({ error: { message: messageOf(error), help: error instanceof Mistake ? error.help : null } })
  return EXIT.unanswered
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
