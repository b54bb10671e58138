import { bytesOf } from '../../core/base64-bytes.ts'
import { lookUp } from '../../core/is-object.ts'
import { type Base64Media, saysNothing } from './media-type.ts'

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

export interface FileText {
  readonly text: string
  /** What the file is called in a note: with its encoding, if that had to be guessed. */
  readonly label: string
}

/**
 * The text of a file; `null` = it is none, or its bytes are none. Bytes that no type or name declares as text must be UTF-8; of the others, the
 * encoding is guessed.
 */
export function textOfFile({ type, data }: Base64Media, name: string): FileText | null {
  const isKnown = textTypeOf(type, name) !== null
  if (!isKnown && !saysNothing(type)) return null
  const bytes = bytesOf(data)
  const label = name === '' ? type : name
  if (bytes === null) return null
  const encoding = encodingOf(bytes)
  if (encoding === 'utf-8' && bytes.includes(0)) return null
  const text = decoded(bytes, encoding)
  if (text !== null) return { text, label }
  return isKnown ? guessed(bytes, encoding, label) : null
}

/** `null` = the bytes are not of this encoding. */
function decoded(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    return decoderOf(encoding, true).decode(bytes)
  } catch {
    return null
  }
}

// Holds: the engine has all encodings of the web, its types name three.
const decoderOf = (encoding: Encoding, fatal = false): TextDecoder => new TextDecoder(encoding as 'utf-8', { fatal })

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'windows-1251' | 'windows-1252'

/** Programs of Windows write tables in the encoding of their country. A text with a few wrong bytes stays what it is, with U+FFFD in their place. */
function guessed(bytes: Uint8Array, encoding: Encoding, label: string): FileText {
  const text = decoderOf(encoding).decode(bytes)
  const legacy = encoding === 'utf-8' && isMostlyWrong(text) ? legacyOf(bytes) : null
  return legacy === null ? { text, label } : { text: decoderOf(legacy).decode(bytes), label: `${label} (${legacy})` }
}

function isMostlyWrong(text: string): boolean {
  let [wrong, right] = [0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) wrong += 1
    else if (code > 0x7f) right += 1
  }
  return wrong > right
}

/** So few high bytes prove nothing. */
const shortMax = 8

/** Chinese letters are pairs of high bytes, those of Cyrillic words single ones, and in other words of Europe they are few. */
function legacyOf(bytes: Uint8Array): Encoding {
  let [pairs, singles, plain] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) {
      if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) plain += 1
    } else if ((bytes[at + 1] ?? 0) >= 0x80) {
      pairs += 1
      at += 1
    } else singles += 1
  }
  if (pairs > singles && decoded(bytes, 'gb18030') !== null) return 'gb18030'
  return 2 * pairs + singles > Math.max(plain, shortMax) ? 'windows-1251' : 'windows-1252'
}

/** By the mark at the beginning: programs of Windows write UTF-16. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** Vendors refuse a text that is empty. */
export const textOrEmpty = (text: string): string => (text.trim() === '' ? '(empty)' : text)
