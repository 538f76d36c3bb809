// Where the time of a loop goes, by V8's own sampling profiler.

import { Session } from 'node:inspector/promises'

import { now } from './race.mjs'

const MICROSECONDS_BETWEEN_SAMPLES = 100

/**
 * The shares of the places in which `run` was found, over some milliseconds. What V8 inlines counts for the function it
 * is inlined into, so most of the package's JavaScript counts for the loop that calls it.
 */
export async function profile(run, ms) {
  for (const end = now() + ms * 1e6; now() < end; ) run()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: MICROSECONDS_BETWEEN_SAMPLES })
  await session.post('Profiler.start')
  for (const end = now() + ms * 1e6; now() < end; ) run()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const shares = { module: 0, javascript: 0, collector: 0, other: 0 }
  const functions = new Map()
  for (const sample of profile.samples) {
    const frame = frames.get(sample)
    const place = placeOf(frame)
    shares[place] += 1 / profile.samples.length
    const name = `${frame.url}:${frame.functionName}`
    if (place === 'module') functions.set(name, (functions.get(name) ?? 0) + 1 / profile.samples.length)
  }
  return { ...shares, hottest: Math.max(0, ...functions.values()) }
}

function placeOf({ url, functionName }) {
  if (url.startsWith('wasm://')) return 'module'
  if (functionName === '(garbage collector)') return 'collector'
  return url.startsWith('file://') || url.startsWith('/') || functionName.startsWith('RegExp') ? 'javascript' : 'other'
}
