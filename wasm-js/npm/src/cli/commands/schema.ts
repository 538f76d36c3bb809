import { configSchema } from '../../internal.js'
import { type Command, EXIT, usageLine } from '../command.js'
import { Mistake } from '../errors.js'
import { print, printJson } from '../output.js'

/** Prints the JSON Schema. */
export const schema: Command = {
  name: 'schema',
  usage: '[--json]',
  summary: 'print the JSON Schema of the configuration, for editors',
  details: `With --json all of it is on one line.

  pi-sandbox-policy schema > pi-sandbox.schema.json`,
  options: ['json'],
  run: async ({ operands, json }) => {
    if (operands.length > 0) throw new Mistake('`schema` takes no file', usageLine(schema))
    if (json) printJson(configSchema())
    else print(`${JSON.stringify(configSchema(), null, 2)}\n`)
    return EXIT.fine
  },
}
