// The result of one part of the benchmarks, as ../../lab/src/part.rs describes it.

import { writeFileSync } from 'node:fs'

export class Part {
  sections = []
  targets = []

  constructor(name, title) {
    this.name = name
    this.title = title
  }

  /** `columns`: pairs of name and unit. */
  section(title, text, columns, rows) {
    this.sections.push({ title, text, columns: columns.map(([name, unit]) => ({ name, unit })), rows })
  }

  atMost(what, limit, unit, measured, note = '') {
    this.targets.push({ what, sense: 'at-most', limit, unit, measured, note })
  }

  atLeast(what, limit, unit, measured, note = '') {
    this.targets.push({ what, sense: 'at-least', limit, unit, measured, note })
  }

  write(path) {
    const { name, title, sections, targets } = this
    writeFileSync(path, JSON.stringify({ name, title, sections, targets }, null, 2) + '\n')
  }
}

export function progress(text) {
  process.stderr.write(`bench  ${text}\n`)
}
