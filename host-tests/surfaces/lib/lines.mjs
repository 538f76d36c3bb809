/** The lines of a stream; `readline` would also cut at U+2028, which JSON may hold. */
export async function* linesOf(stream) {
  let rest = ''
  stream.setEncoding('utf8')
  for await (const text of stream) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    yield* lines
  }
  if (rest !== '') yield rest
}

/** All of them, when the stream has ended. */
export async function all(lines) {
  const read = []
  for await (const line of lines) read.push(line)
  return read
}
