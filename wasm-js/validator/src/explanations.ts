// What the specification says about each lint, for whoever asks why.

import lintPage from '../../../policy-core/spec/lint.md'

export type Block = { readonly kind: 'text' | 'example'; readonly text: string }

/** The explanation of each lint, by its code. */
export function explanations(page: string = lintPage): ReadonlyMap<string, readonly Block[]> {
  const sections = page.split(/^## /m).slice(1)
  const found = new Map<string, readonly Block[]>()
  for (const section of sections) {
    const [title = '', ...blocks] = section.split(/\n{2,}/).filter((block) => block.trim() !== '')
    // The other sections are about all lints together.
    if (/^[a-z]+(-[a-z]+)*$/.test(title.trim())) found.set(title.trim(), blocks.map(toBlock))
  }
  return found
}

function toBlock(markdown: string): Block {
  if (markdown.startsWith('    ')) return { kind: 'example', text: markdown.replaceAll(/^ {4}/gm, '').trimEnd() }
  const text = markdown
    .replace(/^\*\*LINT-\d+\*\* `[a-z-]+`: /, '')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/\*([^*`]+)\*/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return { kind: 'text', text: text.charAt(0).toUpperCase() + text.slice(1) }
}
