import * as glue from 'policy-glue'

import { use } from './instance.js'

/** Where bytes stop being UTF-8; undefined when they are. */
export function invalidUtf8Offset(bytes: Uint8Array): number | undefined {
  return use(() => glue.invalidUtf8Offset(bytes))
}
