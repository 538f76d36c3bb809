import { parseArgs } from 'node:util'

import { type Command, type Given, type OptionName, OPTIONS, usageLine } from './command.js'
import { Mistake } from './errors.js'

const TYPES = { config: { type: 'string' }, explain: { type: 'string' }, json: { type: 'boolean' } } as const

/** Reads what was typed behind the name of a command. */
export function readArguments(command: Command, args: readonly string[]): Given {
  // Not strict: the errors are ours.
  const { tokens } = parseArgs({ args: args.map(withoutCode), options: TYPES, strict: false, allowPositionals: true, tokens: true })
  const mistake = (message: string): Mistake => new Mistake(message, usageLine(command))
  const values: { config?: string; explain?: string; json?: true } = {}
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (!isOptionOf(command, name)) throw mistake(`\`${command.name}\` has no option \`${rawName}\``)
    if (name in values) throw mistake(`\`${rawName}\` can be given once`)
    if (name === 'json') {
      if (value !== undefined) throw mistake(`\`${rawName}\` takes no value`)
      values.json = true
    } else if (name === 'explain' && value === '') {
      values.explain = ''
    } else {
      // `--config --json`: the file was forgotten.
      if (!value || (!token.inlineValue && /^-./.test(value))) throw mistake(`\`${rawName}\` needs ${OPTIONS[name]}`)
      values[name] = value
    }
  }
  return { operands, config: values.config, explain: values.explain, json: values.json === true }
}

/** `--explain` may be without its code. */
function withoutCode(text: string, index: number, args: readonly string[]): string {
  const next = args[index + 1]
  return text === '--explain' && (next === undefined || next.startsWith('-')) ? '--explain=' : text
}

function isOptionOf(command: Command, name: string): name is OptionName {
  return (command.options as readonly string[]).includes(name)
}

/** The file of a command that takes one, as `FILE` or as `--config FILE`. */
export function oneFile(command: Command, { operands, config }: Given): string | undefined {
  const files = config === undefined ? operands : [config, ...operands]
  if (files.length > 1) throw new Mistake(`\`${command.name}\` takes one file, not ${files.length}`, usageLine(command))
  return files[0]
}
