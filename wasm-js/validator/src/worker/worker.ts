// Runs the policy core away from the page's own thread, so that typing never waits for it.

import { configSchema } from 'pi-sandbox-policy/inline'

import { answerer } from './answer.js'
import type { Message, Question } from './protocol.js'

const answer = answerer()

function post(message: Message): void {
  self.postMessage(message)
}

/** The page ends a worker that has failed: nothing is answered on top of a failure. */
function attempt(work: () => Message): void {
  try {
    post(work())
  } catch (error) {
    post({ kind: 'failure', reason: error instanceof Error ? error.message : String(error) })
  }
}

self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  attempt(() => ({ kind: 'answer', answer: answer(data) }))
})

attempt(() => ({ kind: 'ready', schema: configSchema() }))
