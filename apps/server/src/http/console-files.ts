import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { SharedBody, SharedResponse } from '@sluice/http1/shared-response'

/** Which file a browser asks for. */
interface ConsolePath {
  /** Without the base path. */
  readonly path: string
  /** Path below which the browser reached the server, as `readBasePath` returns it; empty = the root. */
  readonly basePath: string
}

/** The console's files, from a folder or from inside the executable. */
export interface ConsoleFiles {
  /** Serves the file at a path, or `index.html` for paths of the console's router. `null` = a missing file. */
  serve(request: IncomingRequest, place: ConsolePath): Promise<Response | null>
  /** Hashes of the page's inline scripts, for the Content-Security-Policy. */
  readonly scriptHashes: readonly string[]
  /** These files with an `index.html` that names the design, so that the first paint has it. */
  inDesign(name: string): ConsoleFiles
}

type Encoding = 'br' | 'gzip'

interface Loaded {
  readonly type: string
  /** The file itself; `null` = only its packed form is held. */
  readonly body: SharedBody | null
  /** The packed forms that are there already. */
  readonly packed: Map<Encoding, Promise<SharedBody>>
}

/** `NAME.br` is the file NAME packed with Brotli (`apps/console/build/packed.ts`). */
const packedEnd = '.br'

/** Files below this path have a content hash in their names. */
const hashedPath = '/static/'

/** url path -> file path of everything in a folder. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(files.map((file) => [file.slice(folder.length).replaceAll('\\', '/'), file]))
}

/** @param files url path -> file path; must hold `/index.html`. Where there is a packed form of a file, only that is read */
export async function loadConsole(files: Readonly<Record<string, string>>): Promise<ConsoleFiles> {
  const loaded = new Map<string, Loaded>()
  for (const [name, file] of Object.entries(files)) {
    if (name.startsWith('/.') || `${name}${packedEnd}` in files) continue
    const isPacked = name.endsWith(packedEnd)
    const path = isPacked ? name.slice(0, -packedEnd.length) : name
    const bytes = new SharedBody(await Bun.file(file).bytes())
    loaded.set(path, {
      type: typeOf(path),
      body: isPacked ? null : bytes,
      packed: new Map(isPacked ? [['br', Promise.resolve(bytes)]] : []),
    })
  }
  const page = loaded.get('/index.html')
  if (page === undefined || page.body === null) throw new Error('the console has no index.html')
  const html = new TextDecoder().decode(page.body.bytes)
  const scriptHashes = inlineScripts(html).map((script) => createHash('sha256').update(script).digest('base64'))
  return consoleOf(loaded, page, { html, scriptHashes })
}

interface PageSource {
  readonly html: string
  readonly scriptHashes: readonly string[]
}

function consoleOf(loaded: ReadonlyMap<string, Loaded>, page: Loaded, source: PageSource): ConsoleFiles {
  const pageBelow = pagesBelow(page, source.html)
  return {
    scriptHashes: source.scriptHashes,
    inDesign(name) {
      const html = source.html.replace(/<html\b/, `<html data-design="${name}"`)
      return consoleOf(loaded, { ...page, body: new SharedBody(html), packed: new Map() }, { ...source, html })
    },
    async serve(request, { path, basePath }) {
      const file = path === '/index.html' ? undefined : loaded.get(path)
      const isHashed = path.startsWith(hashedPath)
      if (file !== undefined)
        return await response(file, request, isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
      return isHashed ? null : await response(pageBelow(basePath), request, 'no-cache')
    },
  }
}

/** Most base paths whose pages are kept: a client behind a trusted proxy may be able to name any. */
const pagesMax = 8

/** The page for each base path: its addresses begin with the path, and its element `html` names it for the scripts. */
function pagesBelow(page: Loaded, html: string): (basePath: string) => Loaded {
  const pages = new Map<string, Loaded>()
  return (basePath) => {
    if (basePath === '') return page
    const kept = pages.get(basePath)
    if (kept !== undefined) return kept
    const below = html.replace(/ (src|href)="\//g, ` $1="${basePath}/`).replace(/<html\b/, `<html data-base-path="${basePath}"`)
    const added: Loaded = { ...page, body: new SharedBody(below), packed: new Map() }
    if (pages.size >= pagesMax) pages.clear()
    pages.set(basePath, added)
    return added
  }
}

function typeOf(path: string): string {
  return path.endsWith('.js') ? 'text/javascript; charset=utf-8' : path.endsWith('.html') ? 'text/html; charset=utf-8' : Bun.file(path).type
}

async function response(file: Loaded, request: IncomingRequest, cacheControl: string): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': file.type, 'cache-control': cacheControl, vary: 'accept-encoding' }
  const encoding = encodingFor(file, request.headers.get('accept-encoding') ?? '')
  if (encoding === null) return new SharedResponse(await plain(file), headers)
  const known = file.packed.get(encoding) ?? plain(file).then(({ bytes }) => pack(bytes, encoding))
  file.packed.set(encoding, known)
  return new SharedResponse(await known, { ...headers, 'content-encoding': encoding })
}

/** Smaller files gain nothing; images are compressed already. */
const packedFrom = 1_024

function encodingFor({ body, type }: Loaded, accepted: string): Encoding | null {
  if (body !== null && (body.bytes.length < packedFrom || !/^text\/|javascript|json|svg/.test(type))) return null
  return /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null
}

async function plain({ body, packed }: Loaded): Promise<SharedBody> {
  // Holds: a file without its own bytes has the ones packed with Brotli.
  return body ?? new SharedBody(new Uint8Array(await promisify(brotliDecompress)((await packed.get('br'))?.bytes ?? new Uint8Array())))
}

async function pack(bytes: Uint8Array, encoding: Encoding): Promise<SharedBody> {
  const packed =
    encoding === 'gzip'
      ? await promisify(gzip)(bytes)
      : await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  return new SharedBody(new Uint8Array(packed))
}

function inlineScripts(html: string): readonly string[] {
  return html
    .split('<script')
    .slice(1)
    .flatMap((script) => {
      const open = script.indexOf('>')
      const close = script.indexOf('</script>')
      return open < 0 || close < open || /\ssrc=/.test(script.slice(0, open)) ? [] : [script.slice(open + 1, close)]
    })
}
