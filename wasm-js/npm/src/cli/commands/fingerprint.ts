import { oneFile } from '../arguments.js'
import { type Command, EXIT } from '../command.js'
import { policyOf, readConfiguration } from '../configuration.js'
import { print, printJson } from '../output.js'

/** Prints the fingerprint of a policy. */
export const fingerprint: Command = {
  name: 'fingerprint',
  usage: '[FILE] [--json]',
  summary: 'print one line that names the network policy',
  details: `Wherever the fingerprint is the same, the same policy is in force.

  pi-sandbox-policy fingerprint
  pi-sandbox-policy fingerprint draft.json`,
  options: ['config', 'json'],
  run: async (given) => {
    const configuration = await readConfiguration(oneFile(fingerprint, given))
    const policy = policyOf(configuration)
    if (given.json) printJson({ file: configuration.file, fingerprint: policy.fingerprint })
    else print(`${policy.fingerprint}\n`)
    return EXIT.fine
  },
}
