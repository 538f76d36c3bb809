// Serves the built page from this machine, as any plain file server would.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

export interface Site {
  readonly address: string
  close(): void
}

/** `change` may make another page of it, as a broken browser or server would. */
export async function serve(change: (html: string) => string = (html) => html): Promise<Site> {
  const folder = process.env['VALIDATOR_OUT_DIR'] ?? ''
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url ?? '/', 'http://x').pathname) || 'index.html'
    try {
      const bytes = readFileSync(join(folder, name))
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' })
      response.end(name === 'index.html' ? change(bytes.toString()) : bytes)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() }
}
