// The examples of the package's README and of the front page run, and give what it says they give.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { installed, project } from '../package.mjs'

const front = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
const readmes = front + readFileSync(join(installed, 'README.md'), 'utf8')
const examples = [...readmes.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code)

/** An expression alone on its line, and behind it what it gives: a string or a boolean, perhaps with a remark. */
const CLAIM = /^;?((?:policy|exchange|stricter|\(await).*) \/\/ ('[^']*'|true|false)(?:[:,] .*)?$/gm

let claims = 0
examples.forEach((code, number) => {
  test(`example ${number + 1}`, () => {
    const checked = code.replace(CLAIM, (_, expression, value) => {
      claims += 1
      return `;assert.deepEqual(${expression}, ${value})`
    })
    const file = join(project, `readme-${number}.mjs`)
    writeFileSync(file, `import assert from 'node:assert/strict'\n${checked}`)
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8', timeout: 60_000 })
    assert.equal(stderr, '')
    assert.equal(status, 0)
  })
})

test('there are examples, and they claim something', () => {
  assert.equal(examples.length, 7)
  assert.equal(claims, 10)
})
