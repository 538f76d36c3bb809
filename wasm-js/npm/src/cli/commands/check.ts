import { NetworkPolicy, type Validation, validateConfig } from '../../internal.js'
import { oneFile } from '../arguments.js'
import { type Command, EXIT, type Given } from '../command.js'
import { type Configuration, readConfiguration } from '../configuration.js'
import { print, printJson } from '../output.js'
import { report, validationJson } from '../report.js'
import { terminalOf } from '../terminal/terminal.js'

/** Says whether a configuration is valid, and everything that is worth knowing about it. */
export const check: Command = {
  name: 'check',
  usage: '[FILE] [--json]',
  summary: 'show what is wrong with a configuration, where, and what to write',
  details: `All errors at once or, when there are none, the lints: warnings and infos, which change no decision.
Exits with 0 when the configuration is valid, whatever the lints say, and otherwise with 1.

  pi-sandbox-policy check
  pi-sandbox-policy check draft.json --json`,
  options: ['config', 'json'],
  run: async (given) => {
    const { valid } = await examine(check, given)
    return valid ? EXIT.fine : EXIT.no
  },
}

/** Shows all that is found in the configuration. */
export async function examine(command: Command, given: Given): Promise<Validation> {
  const configuration = await readConfiguration(oneFile(command, given))
  const validation = validateConfig(configuration.text)
  if (given.json) printJson({ ...validationJson(configuration, validation), policy: policySummary(configuration, validation) })
  else print(report(configuration, validation, terminalOf(process.stdout)))
  return validation
}

function policySummary({ text }: Configuration, { valid }: Validation): object | null {
  if (!valid) return null
  const { fingerprint, allowedDomains, deniedDomains } = NetworkPolicy.fromConfig(text)
  return { fingerprint, allowedDomains: allowedDomains.length, deniedDomains: deniedDomains.length }
}
