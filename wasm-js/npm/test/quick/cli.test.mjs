// What the program shows, as people see it: every `.console` file in `cli` holds commands and, below
// each, its output. Lines on stderr begin with `!`; an exit code other than 0 stands in brackets.
// POLICY_UPDATE_CONSOLE=1 writes down what the program shows now.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { project, temporary } from '../package.mjs'

const folder = join(dirname(fileURLToPath(import.meta.url)), 'cli')

for (const name of readdirSync(folder).filter((name) => name.endsWith('.console'))) {
  const file = join(folder, name)
  const written = readFileSync(file, 'utf8')
  const commands = written.split('\n').filter((line) => line.startsWith('$ '))

  test(name, () => {
    const directory = mkdtempSync(join(temporary, 'cli-'))
    cpSync(join(folder, 'files'), directory, { recursive: true })
    mkdirSync(join(directory, 'nobody'))
    const shown = commands.map((line) => `${line}\n${transcript(line.slice(2), directory)}`).join('\n')
    if (process.env.POLICY_UPDATE_CONSOLE) writeFileSync(file, shown)
    else assert.equal(shown, written)
  })
}

function transcript(command, cwd) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    env: { PATH: `${join(project, 'node_modules/.bin')}:${process.env.PATH}`, HOME: join(cwd, 'nobody') },
  })
  const output = stdout + stderr.replace(/^$(?=\n)/gm, '!').replace(/^(?=[^!])/gm, '! ')
  // Whatever the input was, nothing reaches the terminal but text and line ends.
  assert.doesNotMatch(output, /[^\P{C}\n]/u, command)
  assert.ok(output === '' || output.endsWith('\n'), command)
  return status === 0 ? output : `${output}[${status}]\n`
}
