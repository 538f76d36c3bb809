import { NetworkPolicy } from '../../internal.js'
import { type Command, EXIT, readArgs, readOneFile } from '../command.js'
import { readPolicyFile } from '../policy-file.js'

/** Prints the fingerprint of a policy. */
export const fingerprint: Command = {
  name: 'fingerprint',
  usage: '[FILE] [--json]',
  summary: 'print the fingerprint of the network policy',
  details: `Two hosts run the same policy exactly when their fingerprints are equal.

  pi-sandbox-policy fingerprint
  pi-sandbox-policy fingerprint draft.json`,
  run,
}

function run(args: readonly string[]): number {
  const { values, positionals } = readArgs(fingerprint, args, { json: { type: 'boolean' } })
  const { path, text } = readPolicyFile(readOneFile(fingerprint, positionals))
  const policy = NetworkPolicy.fromConfig(text)
  const answer = values.json === true ? JSON.stringify({ path, fingerprint: policy.fingerprint }) : policy.fingerprint
  process.stdout.write(`${answer}\n`)
  return EXIT.fine
}
