import problems from 'diagnostic-page'
import pages from 'lint-pages'

const COLUMNS = 80

/** What each lint means, by its code: the text of the specification, without the numbers of its rules. */
export const LINTS: ReadonlyMap<string, string> = new Map(
  pages.split(/^## /m).flatMap((section) => {
    const [, code, body] = /^([a-z-]+)\n+([^]*)$/.exec(section) ?? []
    return code === undefined || body === undefined ? [] : [[code, plain(body)] as const]
  }),
)

/** The codes of errors: the first column of their table. */
export const ERRORS: ReadonlySet<string> = new Set(
  (/^## Errors\n([^]*?)^## /m.exec(problems)?.[1] ?? '').split('\n').flatMap((row) => /^\| `([a-z-]+)` \|/.exec(row)?.[1] ?? []),
)

function plain(markdown: string): string {
  return markdown
    .replace(/^\*\*LINT-\d+\*\* `[a-z-]+`: (.)/, (_, first: string) => first.toUpperCase())
    .replace(/ \((?:(?:, | and | to )?[A-Z]+-?\d+)+\)/g, '')
    .replace(/\s\*(To fix:)\*/g, '\n\n$1')
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => (paragraph.startsWith('    ') ? paragraph : wrap(paragraph)))
    .join('\n\n')
}

function wrap(paragraph: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of paragraph.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > COLUMNS) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
