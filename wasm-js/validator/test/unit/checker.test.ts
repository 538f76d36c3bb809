import assert from 'node:assert/strict'
import { mock, test } from 'node:test'

import { Checker, type Failure, TIME_LIMIT, type WorkerLike } from '../../src/checker.js'
import type { Answer, Message, Question } from '../../src/worker/protocol.js'

class FakeWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null
  onerror: WorkerLike['onerror'] = null
  readonly asked: number[] = []
  ended = false

  postMessage({ version }: Question): void {
    assert.ok(!this.ended)
    this.asked.push(version)
  }

  terminate(): void {
    this.ended = true
  }

  say(message: Message): void {
    this.onmessage?.({ data: message } as MessageEvent<Message>)
  }

  ready(): void {
    this.say({ kind: 'ready', schema: {} })
  }

  answer(version: number): void {
    this.say({ kind: 'answer', answer: { version } as Answer })
  }
}

function setUp() {
  const workers: FakeWorker[] = []
  const answers: number[] = []
  const failures: Failure['kind'][] = []
  const start = () => {
    const worker = new FakeWorker()
    workers.push(worker)
    return worker
  }
  const checker = new Checker(start, {
    ready: () => {},
    answer: ({ version }) => answers.push(version),
    failure: ({ kind }) => failures.push(kind),
  })
  const worker = (index: number) => {
    const found = workers[index]
    assert.ok(found, `worker ${index}`)
    return found
  }
  const ask = (version: number) => checker.ask({ version } as Question)
  return { checker, worker, workers, answers, failures, ask }
}

test('of the questions that wait only the newest is asked, and only it is answered', () => {
  const { worker, answers, ask } = setUp()
  for (const version of [1, 2, 3, 4]) ask(version)
  assert.deepEqual(worker(0).asked, [1])
  worker(0).ready()
  worker(0).answer(1)
  assert.deepEqual(answers, [], 'there is a newer question')
  assert.deepEqual(worker(0).asked, [1, 4])
  worker(0).answer(4)
  assert.deepEqual(answers, [4])
})

test('a worker that fails is ended and replaced; its question is not asked again', () => {
  const { worker, workers, answers, failures, ask } = setUp()
  worker(0).ready()
  ask(1)
  worker(0).say({ kind: 'failure', reason: 'unreachable' })
  assert.ok(worker(0).ended)
  assert.deepEqual(failures, ['trap'])
  assert.deepEqual(worker(1).asked, [])
  worker(0).answer(1)
  assert.deepEqual(answers, [], 'nobody listens to a worker that failed')
  worker(1).ready()
  ask(2)
  worker(1).answer(2)
  assert.deepEqual(answers, [2])
  assert.equal(workers.length, 2)
})

test('a question that waited while another failed is asked', () => {
  const { worker, ask } = setUp()
  worker(0).ready()
  ask(1)
  ask(2)
  worker(0).say({ kind: 'failure', reason: 'unreachable' })
  assert.deepEqual(worker(1).asked, [2])
})

test('a worker that does not answer is ended and replaced', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { worker, failures, ask } = setUp()
    worker(0).ready()
    mock.timers.tick(2 * TIME_LIMIT)
    assert.deepEqual(failures, [], 'nothing was asked')
    ask(1)
    mock.timers.tick(TIME_LIMIT - 1)
    assert.ok(!worker(0).ended)
    mock.timers.tick(1)
    assert.ok(worker(0).ended)
    assert.deepEqual(failures, ['timeout'])
    worker(1).ready()
  } finally {
    mock.timers.reset()
  }
})

test('a worker that does not come up is not replaced before somebody says so', () => {
  const { checker, worker, workers, failures, ask } = setUp()
  worker(0).onerror?.({ message: 'blocked' } as ErrorEvent)
  ask(1)
  assert.deepEqual(failures, ['start'])
  assert.equal(workers.length, 1)
  checker.restart()
  assert.deepEqual(worker(1).asked, [1])
  checker.restart()
  assert.equal(workers.length, 2, 'one at a time')
})

test('a browser that refuses to start a worker is no exception', async () => {
  const failures: Failure[] = []
  new Checker(
    () => {
      throw new Error('no workers here')
    },
    { ready: () => {}, answer: () => {}, failure: (failure) => failures.push(failure) },
  )
  assert.deepEqual(failures, [], 'not before the constructor is done')
  await Promise.resolve()
  assert.deepEqual(failures, [{ kind: 'start', reason: 'no workers here' }])
})
