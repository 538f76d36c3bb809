// Lines of stdin to lines of stdout, for every JavaScript runtime with Node's streams.

import { TextDecoder } from 'node:util'

/** Answers all lines that have come so far at once: `answerLines` gets and returns an array. */
export async function serve(answerLines) {
  let rest = Buffer.alloc(0)
  for await (const chunk of process.stdin) {
    const bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk
    const lines = []
    let start = 0
    for (let end; (end = bytes.indexOf(10, start)) !== -1; start = end + 1) lines.push(decode(bytes.subarray(start, end)))
    rest = bytes.subarray(start)
    await write(await answerLines(lines))
  }
  if (rest.length) await write(await answerLines([decode(rest)]))
}

/** A line that is not UTF-8 becomes the empty line, which is no request either. */
function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return ''
  }
}

async function write(answers) {
  const text = answers.map((answer) => `${answer}\n`).join('')
  if (text && !process.stdout.write(text)) await new Promise((drained) => process.stdout.once('drain', drained))
}
