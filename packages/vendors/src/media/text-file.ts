import { bytesOf } from '../base64-bytes.ts'
import { lookUp } from '../is-object.ts'
import { type SentMedia, saysNothing } from './media-type.ts'

/** Types that are text, beside `text/...` and those that end in `+json` or `+xml`. */
const textTypes: ReadonlySet<string> = new Set(
  [
    ...['json', 'jsonl', 'x-jsonlines', 'ndjson', 'x-ndjson', 'xml', 'yaml', 'x-yaml', 'toml', 'csv', 'sql', 'x-sql', 'rtf', 'graphql'],
    ...['javascript', 'x-javascript', 'ecmascript', 'typescript', 'x-typescript', 'x-python', 'x-python-code', 'x-sh', 'x-shellscript'],
    ...['x-httpd-php', 'x-php', 'x-ruby', 'x-perl', 'x-tex', 'x-latex', 'x-subrip', 'x-ipynb+json'],
  ].map((name) => `application/${name}`),
)

/** Endings of names by which a file is text, with the type of those that have one. */
const endings: Readonly<Record<string, string>> = {
  ...{ txt: 'text/plain', csv: 'text/csv', md: 'text/markdown', markdown: 'text/markdown', html: 'text/html', htm: 'text/html' },
  ...typed('text/plain', [
    ...['tsv', 'json', 'jsonl', 'ndjson', 'xml', 'yaml', 'yml', 'toml', 'ini', 'cfg', 'conf', 'env', 'properties', 'log', 'sql', 'svg'],
    ...['py', 'ipynb', 'js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'tsx', 'vue', 'svelte', 'css', 'scss', 'less', 'java', 'kt', 'scala'],
    ...['go', 'rs', 'rb', 'php', 'c', 'h', 'cc', 'cpp', 'hpp', 'cs', 'swift', 'm', 'dart', 'lua', 'pl', 'r', 'jl', 'ex', 'hs', 'sol'],
    ...['sh', 'bash', 'zsh', 'fish', 'ps1', 'bat', 'cmd', 'tf', 'gradle', 'proto', 'graphql', 'tex', 'rst', 'org', 'rtf', 'adoc'],
    ...['diff', 'patch', 'srt', 'vtt', 'ics', 'eml', 'vcf', 'geojson'],
  ]),
}

function typed(type: string, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, type]))
}

/** Longest ending of a name in the table. */
const endingMax = 10

function endingOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot === -1 || name.length - dot > endingMax + 1 ? '' : name.slice(dot + 1).toLowerCase()
}

export const isTextType = (type: string): boolean =>
  type.startsWith('text/') || textTypes.has(type) || type.endsWith('+json') || type.endsWith('+xml')

/** The type of a file of text by its name and what the client calls it; `null` = neither says that it is one. */
export function textTypeOf(type: string, name: string): string | null {
  return lookUp(endings, endingOf(name)) ?? (isTextType(type) ? type : null)
}

/**
 * The text of a file; `null` = it is none, or its bytes are none. Bytes that no type and no name tell of must be UTF-8; of the others, what is not
 * becomes U+FFFD.
 */
export function textOfFile({ type, data }: SentMedia, name: string): string | null {
  const isKnown = textTypeOf(type, name) !== null
  if (!isKnown && !saysNothing(type)) return null
  const bytes = bytesOf(data)
  return bytes === null ? null : decoded(bytes, isKnown)
}

function decoded(bytes: Uint8Array, isKnown: boolean): string | null {
  const encoding = encodingOf(bytes)
  if (encoding === 'utf-8' && bytes.includes(0)) return null
  try {
    return new TextDecoder(encoding, { fatal: !isKnown }).decode(bytes)
  } catch {
    return null
  }
}

/** By the mark at the beginning: programs of Windows write UTF-16. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** Vendors refuse a text that is empty. */
export const textOrEmpty = (text: string): string => (text.trim() === '' ? '(empty)' : text)
