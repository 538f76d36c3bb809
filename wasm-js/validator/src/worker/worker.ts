// Runs the policy core away from the page's own thread, so that typing never waits for it.

import { configSchema, init } from 'pi-sandbox-policy'
import packed from 'pi-sandbox-policy/policy.wasm'

import { answerer } from './answer.js'
import type { Message, Question } from './protocol.js'
import { unpack } from './unpack.js'

const started = unpack(packed).then(init)
const answer = answerer()

function post(message: Message): void {
  self.postMessage(message)
}

/** The page ends a worker that has failed: nothing is answered on top of a failure. */
async function attempt(work: () => Message): Promise<void> {
  try {
    await started
    post(work())
  } catch (error) {
    post({ kind: 'failure', reason: error instanceof Error ? error.message : String(error) })
  }
}

self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  void attempt(() => ({ kind: 'answer', answer: answer(data) }))
})

void attempt(() => ({ kind: 'ready', schema: configSchema() }))
