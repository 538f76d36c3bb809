import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where the configuration is. */
export function getPiSandboxConfigPath(home: string = homedir()): string {
  return join(home, '.pi', 'agent', 'extensions', 'pi-sandbox', 'config.json')
}

/** Where it was once, and still is looked for when there is none at {@link getPiSandboxConfigPath}. */
export function getLegacyPiSandboxConfigPath(home: string = homedir()): string {
  return join(home, '.pi', 'agent', 'pi-sandbox.json')
}
