// What the buttons, the keys, files and links do with the page.

import './start-worker.js'

import { byId, element } from './dom.js'
import { fitsDraft, keepDraft, takeDraft } from './draft.js'
import { type Example, EXAMPLES } from './examples.js'
import { acceptDrops, FileError, pickFile, readFile, saveFile } from './files.js'
import { loadEditors } from './load-editor.js'
import { notice } from './notices.js'
import { Page } from './page.js'
import { openShareDialog } from './share/dialog.js'
import { isLink, LinkError, readLink } from './share/link.js'

const page = new Page(takeDraft() ?? { older: undefined, ...EXAMPLES[0] })
const fileName = byId('file-name', HTMLElement)
let lineEnd: '\n' | '\r\n' = '\n'

const warn = (text: string) => notice(byId('notices', HTMLElement), text)
const onClick = (id: string, act: () => unknown) => byId(id, HTMLButtonElement).addEventListener('click', act)

/** What may go wrong with somebody's file or link is said; anything else is a fault of the page. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof FileError || error instanceof LinkError)) throw error
    warn(error.message)
  }
}

const openConfig = (file: File) =>
  attempt(async () => {
    const opened = await readFile(file)
    page.editor.replaceText(opened.text)
    fileName.textContent = opened.name
    lineEnd = opened.lineEnd
  })

const openOlder = (file: File) =>
  attempt(async () => {
    page.older.replaceText((await readFile(file)).text)
  })

const pick = async (open: (file: File) => Promise<void>) => {
  const file = await pickFile()
  if (file !== undefined) await open(file)
}

const open = () => pick(openConfig)
const save = () => saveFile({ name: fileName.textContent, text: page.editor.text, lineEnd })
const format = () => page.format(() => warn('Only JSON can be formatted: fix the first problem, then format.'))

onClick('open', open)
onClick('save', save)
onClick('share', () => openShareDialog(byId('share-dialog', HTMLDialogElement), byId('share-content', HTMLElement), page.contents))
onClick('format', format)
onClick('undo', () => page.editor.undo())
onClick('redo', () => page.editor.redo())
onClick('open-older', () => pick(openOlder))
onClick('keep-older', () => page.older.replaceText(page.editor.text))
onClick('swap-older', () => {
  const { config, older } = page.contents
  page.editor.replaceText(older ?? '')
  page.older.replaceText(config)
})

addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey, shiftKey, code } = event
  const command = (ctrlKey || metaKey) && !altKey && !shiftKey
  const act = command && key === 's' ? save : command && key === 'o' ? open : altKey && shiftKey && code === 'KeyF' ? format : undefined
  if (act === undefined) return
  event.preventDefault()
  void act()
})

acceptDrops(byId('drop', HTMLElement), (file, target) => {
  const onOlder = target instanceof Node && byId('compare', HTMLElement).contains(hostOf(target))
  void (onOlder ? openOlder(file) : openConfig(file))
})

/** The element of the page that a node inside an editor belongs to. */
function hostOf(node: Node): Node {
  const root = node.getRootNode()
  return root instanceof ShadowRoot ? root.host : node
}

const examplesDialog = byId('examples-dialog', HTMLDialogElement)
byId('example-list', HTMLElement).append(
  ...EXAMPLES.map((example) => element('li', {}, element('button', { type: 'button', click: () => start(example) }, example.name))),
)
onClick('examples', () => examplesDialog.showModal())

function start(example: Example): void {
  examplesDialog.close()
  page.contents = { older: undefined, ...example }
  fileName.textContent = 'config.json'
  lineEnd = '\n'
  page.showTab(example.tab)
}

async function openLink(): Promise<void> {
  const fragment = location.hash
  // Out of the address, which would no longer tell what stands on the page.
  history.replaceState(null, '', location.pathname + location.search)
  page.contents = await readLink(fragment)
}

addEventListener('hashchange', () => {
  if (isLink(location.hash)) void attempt(openLink)
})
addEventListener('pagehide', () => keepDraft(page.contents))
addEventListener('beforeunload', (event) => {
  if (!fitsDraft(page.contents)) event.preventDefault()
})

/** First the verdict and then CodeMirror: on a slow machine either takes its time. */
async function begin(): Promise<void> {
  if (isLink(location.hash)) await attempt(openLink)
  page.ask()
  await page.settled
  await painted()
  const editors = await loadEditors()
  // Not in the same task: a key that was pressed meanwhile comes between.
  await painted()
  const taken = editors !== undefined && (await page.takeEditors(editors).then(() => true, () => false))
  if (!taken) warn('The editor could not be loaded. The page checks without it; reload the page to try again.')
}

/** Until what is on the page now is on the screen: in a tab that nobody sees, not before somebody does. */
function painted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
}

void begin()
