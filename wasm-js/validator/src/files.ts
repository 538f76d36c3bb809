// Opening, dropping and saving files.

import { decodeUTF8, NotText } from './utf8.js'

export interface OpenedFile {
  readonly name: string
  readonly text: string
  /** How its lines end: it is saved the same way. */
  readonly lineEnd: '\n' | '\r\n'
}

/** Largest file that is opened, in bytes: a million entries. */
export const LARGEST_FILE = 32 * 1024 * 1024

/** A file that cannot be opened, and why. */
export class FileError extends Error {}

export async function readFile(file: File): Promise<OpenedFile> {
  const refuse = (why: string) => new FileError(`“${file.name}” was not opened: ${why}`)
  if (file.size > LARGEST_FILE) throw refuse(`it is larger than ${LARGEST_FILE / 1024 / 1024} MiB`)
  let bytes
  try {
    bytes = new Uint8Array(await file.arrayBuffer())
  } catch {
    throw refuse('it cannot be read; a folder is no file')
  }
  try {
    const text = decodeUTF8(bytes)
    const firstLine = text.indexOf('\n')
    return { name: file.name, text, lineEnd: text[firstLine - 1] === '\r' ? '\r\n' : '\n' }
  } catch (error) {
    if (error instanceof NotText) throw refuse(error.message)
    throw error
  }
}

/** Asks for a file; undefined when nobody chooses one. */
export function pickFile(): Promise<File | undefined> {
  return new Promise((resolve) => {
    const input = document.createElement('input')
    input.type = 'file'
    input.accept = '.json,application/json,text/plain'
    input.addEventListener('change', () => resolve(input.files?.[0]))
    input.addEventListener('cancel', () => resolve(undefined))
    input.click()
  })
}

export function saveFile({ name, text, lineEnd }: OpenedFile): void {
  const content = lineEnd === '\n' ? text : text.replaceAll('\n', lineEnd)
  const url = URL.createObjectURL(new Blob([content], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has begun when the browser comes back to this page's tasks.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Calls back for each file dropped on the page, and shows `sign` while one is above it. */
export function acceptDrops(sign: HTMLElement, open: (file: File, target: EventTarget | null) => void): void {
  let depth = 0
  const show = (change: number) => {
    depth = Math.max(0, depth + change)
    sign.hidden = depth === 0
  }
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
  // Before the editor sees them: it would put the file in at the cursor.
  const listen = (name: 'dragenter' | 'dragover' | 'dragleave' | 'drop', react: (event: DragEvent) => void) =>
    addEventListener(
      name,
      (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        event.stopPropagation()
        react(event)
      },
      { capture: true },
    )
  listen('dragenter', () => show(1))
  listen('dragleave', () => show(-1))
  listen('dragover', () => {})
  listen('drop', (event) => {
    show(-depth)
    const file = event.dataTransfer?.files[0]
    if (file !== undefined) open(file, event.composedPath()[0] ?? null)
  })
}
