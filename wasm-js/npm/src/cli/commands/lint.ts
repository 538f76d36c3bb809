import { type Command, EXIT, type Given, usageLine } from '../command.js'
import { Mistake } from '../errors.js'
import { ERRORS, LINTS } from '../lints.js'
import { nearest } from '../nearest.js'
import { print, printJson } from '../output.js'
import { examine } from './check.js'

/** Fails on advice as well as on errors. */
export const lint: Command = {
  name: 'lint',
  usage: '[FILE] [--json] | --explain [CODE]',
  summary: 'the same as check, and fail on warnings too',
  details: `Exits with 0 when there are infos at most, and with 1 when there is an error, a warning, or more
than can be listed.

--explain prints what a lint means, why it matters, and how to end it; without a code, which there are.

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
  const codes = [...LINTS.keys()]
  if (code === '') {
    if (json) printJson({ codes })
    else print(`${codes.join('\n')}\n`)
    return EXIT.fine
  }
  const text = LINTS.get(code)
  if (text === undefined) throw noLint(code, codes)
  if (json) printJson({ code, text })
  else print(`${code}\n\n${text}\n`)
  return EXIT.fine
}

function noLint(code: string, codes: readonly string[]): Mistake {
  if (ERRORS.has(code)) {
    return new Mistake(`\`${code}\` is an error, not a lint`, '`check` shows each error with what to write instead')
  }
  const meant = nearest(code, codes)
  const suggestion = meant === undefined ? '' : `did you mean \`${meant}\`? `
  return new Mistake(`there is no lint \`${code}\``, `${suggestion}the lints are ${codes.join(', ')}`)
}
