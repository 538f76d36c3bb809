import { readArguments } from './arguments.js'
import { type Command, EXIT } from './command.js'
import { check } from './commands/check.js'
import { compare } from './commands/compare.js'
import { explain } from './commands/explain.js'
import { fingerprint } from './commands/fingerprint.js'
import { lint } from './commands/lint.js'
import { schema } from './commands/schema.js'
import { InvalidConfiguration, Mistake } from './errors.js'
import { failureJson, tell } from './failure.js'
import { generalHelp, helpFor } from './help.js'
import { nearest } from './nearest.js'
import { print, printJson, watchOutput } from './output.js'
import { report, validationJson } from './report.js'
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

async function dispatch(args: readonly string[]): Promise<number> {
  const [name, ...rest] = jsonBehind(args)
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

/** `--json` may stand in front of the command, too. */
function jsonBehind(args: readonly string[]): readonly string[] {
  const command = args.findIndex((text) => text !== '--json')
  return command <= 0 ? args : [...args.slice(command, command + 1), ...args.slice(0, command), ...args.slice(command + 1)]
}

function find(name: string): Command {
  const command = COMMANDS.find((command) => command.name === name)
  if (command !== undefined) return command
  const names = COMMANDS.map(({ name }) => name)
  const commands = `the commands are ${names.join(', ')}`
  if (name.startsWith('-')) throw new Mistake(`\`${name}\` is no command`, `${commands}; options stand behind them`)
  const meant = nearest(name, names)
  throw new Mistake(`there is no command \`${name}\``, meant === undefined ? commands : `did you mean \`${meant}\`? ${commands}`)
}

function fail(error: unknown): number {
  if (error instanceof InvalidConfiguration) {
    process.stderr.write(report(error.configuration, error.validation, terminalOf(process.stderr)))
    return EXIT.no
  }
  tell(error)
  return EXIT.unanswered
}

function failInJson(error: unknown): number {
  if (error instanceof InvalidConfiguration) {
    printJson(validationJson(error.configuration, error.validation))
    return EXIT.no
  }
  printJson(failureJson(error))
  return EXIT.unanswered
}
