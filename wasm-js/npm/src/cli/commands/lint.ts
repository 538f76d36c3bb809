import { type Command, EXIT, type Given, usageLine } from '../command.js'
import { Mistake } from '../errors.js'
import { LINTS } from '../lints.js'
import { print, printJson } from '../output.js'
import { examine } from './check.js'

/** Fails on advice as well as on errors. */
export const lint: Command = {
  name: 'lint',
  usage: '[FILE] [--json] | --explain CODE',
  summary: 'the same as check, and fail on warnings too',
  details: `Exits with 0 when there are infos at most, and with 1 when there is an error, a warning, or more
than can be listed.

--explain prints what a lint means, why it matters, and how to end it.

  pi-sandbox-policy lint draft.json
  pi-sandbox-policy lint --explain shadowed-allow`,
  options: ['config', 'explain', 'json'],
  run: async (given) => {
    if (given.explain !== undefined) return explainLint(given.explain, given)
    const { diagnostics, omitted } = await examine(lint, given)
    return omitted > 0 || diagnostics.some(({ severity }) => severity !== 'info') ? EXIT.no : EXIT.fine
  },
}

function explainLint(code: string, { operands, config, json }: Given): number {
  if (operands.length > 0 || config !== undefined) throw new Mistake('`--explain CODE` takes no file', usageLine(lint))
  const text = LINTS.get(code)
  if (text === undefined) {
    throw new Mistake(`there is no lint \`${code}\``, `the lints are ${[...LINTS.keys()].join(', ')}`)
  }
  if (json) printJson({ code, text })
  else print(`${code}\n\n${text}\n`)
  return EXIT.fine
}
