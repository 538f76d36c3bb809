import { ConfigError, NetworkPolicy } from '../../internal.js'
import { type Command, EXIT, readArgs, readOneFile } from '../command.js'
import { excerpt } from '../excerpt.js'
import { nameOf, type PolicyFile, readPolicyFile } from '../policy-file.js'
import { printable, style } from '../style.js'

/** Says whether a configuration is valid. */
export const check: Command = {
  name: 'check',
  usage: '[FILE] [--json]',
  summary: 'say whether a configuration is valid',
  details: `Shows the first thing that is wrong, and where, if the file is not JSON. The message is the
same that the extension gives. Exits with 0 when the configuration is valid, with 1 otherwise.

  pi-sandbox-policy check
  pi-sandbox-policy check draft.json --json`,
  run,
}

function run(args: readonly string[]): number {
  const { values, positionals } = readArgs(check, args, { json: { type: 'boolean' } })
  const file = readPolicyFile(readOneFile(check, positionals))
  try {
    report(file, NetworkPolicy.fromConfig(file.text), values.json === true)
    return EXIT.fine
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    reportError(file, error, values.json === true)
    return EXIT.invalid
  }
}

function report(file: PolicyFile, policy: NetworkPolicy, json: boolean): void {
  const { fingerprint, allowedDomains, deniedDomains } = policy
  if (json) {
    const counts = { allowedDomains: allowedDomains.length, deniedDomains: deniedDomains.length }
    process.stdout.write(`${JSON.stringify({ valid: true, path: file.path, fingerprint, ...counts })}\n`)
    return
  }
  process.stdout.write(`${style(process.stdout, 'good', 'valid')}  ${printable(nameOf(file))}
       ${allowedDomains.length} allowed, ${deniedDomains.length} denied, ${fingerprint}\n`)
}

function reportError(file: PolicyFile, error: ConfigError, json: boolean): void {
  const { message, line, column, offset } = error
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ valid: false, path: file.path, error: { message, line, column, offset } })}\n`,
    )
    return
  }
  const place = line === undefined || column === undefined ? undefined : { line, column }
  const at = place === undefined ? '' : `:${place.line}:${place.column}`
  process.stderr.write(`${style(process.stderr, 'bad', 'error')}: ${printable(message)}
 --> ${printable(nameOf(file))}${at}
${place === undefined ? '' : `${excerpt(file.text, place)}\n`}`)
}
