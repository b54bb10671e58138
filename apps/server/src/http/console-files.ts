import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Received } from '@sluice/http1/received'
import { SharedBody, SharedResponse } from '@sluice/http1/shared-response'

/** The console's files, from a folder or from inside the executable. */
export interface ConsoleFiles {
  /** Answers a path with a file, or with `index.html` for paths of the console's router. `null` = a missing file. */
  serve(request: Received, path: string): Promise<Response | null>
  /** Hashes of the page's inline scripts, for the Content-Security-Policy. */
  readonly scriptHashes: readonly string[]
  /** The same files with a page that names the design, so that its first paint has it. */
  inDesign(name: string): ConsoleFiles
}

interface Loaded {
  readonly body: SharedBody
  readonly type: string
  readonly compressed: Map<'br' | 'gzip', Promise<SharedBody>>
}

/** Files below this path have a content hash in their names. */
const hashedPath = '/static/'

/** url path -> file path of everything in a folder. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(files.map((file) => [file.slice(folder.length).replaceAll('\\', '/'), file]))
}

/** @param files url path -> file path; must hold `/index.html` */
export async function loadConsole(files: Readonly<Record<string, string>>): Promise<ConsoleFiles> {
  const loaded = new Map<string, Loaded>()
  for (const [path, file] of Object.entries(files)) {
    if (path.startsWith('/.')) continue
    const source = Bun.file(file)
    loaded.set(path, {
      body: new SharedBody(new Uint8Array(await source.arrayBuffer())),
      type: typeOf(path, source.type),
      compressed: new Map(),
    })
  }
  const page = loaded.get('/index.html')
  if (page === undefined) throw new Error('the console has no index.html')
  const html = new TextDecoder().decode(page.body.bytes)
  const scriptHashes = inlineScripts(html).map((script) => createHash('sha256').update(script).digest('base64'))
  return consoleOf(loaded, page, { html, scriptHashes })
}

interface PageSource {
  readonly html: string
  readonly scriptHashes: readonly string[]
}

function consoleOf(loaded: ReadonlyMap<string, Loaded>, page: Loaded, source: PageSource): ConsoleFiles {
  return {
    scriptHashes: source.scriptHashes,
    inDesign(name) {
      const html = source.html.replace(/<html\b/, `<html data-design="${name}"`)
      return consoleOf(loaded, { ...page, body: new SharedBody(html), compressed: new Map() }, source)
    },
    async serve(request, path) {
      const file = path === '/' || path === '/index.html' ? page : loaded.get(path)
      if (file === undefined && path.startsWith(hashedPath)) return null
      const isHashed = file !== undefined && path.startsWith(hashedPath)
      return await reply(
        file ?? page,
        request,
        isHashed ? 'public, max-age=31536000, immutable' : file === undefined || file === page ? 'no-cache' : 'public, max-age=3600',
      )
    },
  }
}

function typeOf(path: string, guessed: string): string {
  return path.endsWith('.js') ? 'text/javascript; charset=utf-8' : path.endsWith('.html') ? 'text/html; charset=utf-8' : guessed
}

async function reply(file: Loaded, request: Received, cacheControl: string): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': file.type, 'cache-control': cacheControl, vary: 'accept-encoding' }
  const encoding = encodingFor(file, request.headers.get('accept-encoding') ?? '')
  if (encoding === null) return new SharedResponse(file.body, headers)
  const known = file.compressed.get(encoding) ?? compress(file.body.bytes, encoding)
  file.compressed.set(encoding, known)
  return new SharedResponse(await known, { ...headers, 'content-encoding': encoding })
}

/** Smaller files gain nothing; pictures are compressed already. */
const compressFrom = 1_024

function encodingFor({ body, type }: Loaded, accepted: string): 'br' | 'gzip' | null {
  if (body.bytes.length < compressFrom || !/^text\/|javascript|json|svg/.test(type)) return null
  return /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null
}

async function compress(bytes: Uint8Array, encoding: 'br' | 'gzip'): Promise<SharedBody> {
  const packed =
    encoding === 'gzip'
      ? await promisify(gzip)(bytes)
      : await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  return new SharedBody(new Uint8Array(packed))
}

function inlineScripts(html: string): readonly string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '')
}
