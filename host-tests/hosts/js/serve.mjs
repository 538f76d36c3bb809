// Lines of stdin to lines of stdout, for every JavaScript runtime with Node's streams.

import { TextDecoder } from 'node:util'

/** Answers every line; one that is not UTF-8 becomes the empty line, which is no request either. */
export async function serve(answerLine) {
  let rest = Buffer.alloc(0)
  for await (const chunk of process.stdin) {
    let start = 0
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk
    let answers = ''
    for (let end; (end = rest.indexOf(10, start)) !== -1; start = end + 1) {
      answers += `${answerLine(decode(rest.subarray(start, end)))}\n`
    }
    rest = rest.subarray(start)
    if (answers && !process.stdout.write(answers)) await new Promise((drained) => process.stdout.once('drain', drained))
  }
  if (rest.length) process.stdout.write(`${answerLine(decode(rest))}\n`)
}

function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return ''
  }
}
