import { bytesInAddress } from '../shared/chat-parts.ts'

/** How base64 of each form begins that models read, and that clients name wrongly. */
const beginnings: ReadonlyArray<readonly [beginning: string, type: string]> = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGODdh', 'image/gif'],
  ['R0lGODlh', 'image/gif'],
  ['JVBERi0', 'application/pdf'],
]

/** `RIFF`, a length, `WEBP`. */
const webp = /^UklGR[\w+/]{6}XRUJQ/

/** As many characters as the longest of them needs. */
const headLength = 16

/** The type by the first bytes of base64; `null` = none that is known. */
function typeOfBytes(data: string): string | null {
  const head = data.slice(0, headLength)
  return beginnings.find(([beginning]) => head.startsWith(beginning))?.[1] ?? (webp.test(head) ? 'image/webp' : null)
}

/** Base64 in one line and in the usual alphabet: some clients break it into lines, and Google's SDK for Python writes the one for addresses. */
function plainBase64(data: string): string {
  const line = data.includes('\n') || data.includes(' ') ? data.replaceAll(/\s+/g, '') : data
  return line.includes('-') || line.includes('_') ? line.replaceAll('-', '+').replaceAll('_', '/') : line
}

/** Usual names that are registered otherwise. */
const otherNames: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
}

/** What a client sent in base64. */
export interface Base64Media {
  /** Empty: the client names none. */
  readonly type: string
  readonly data: string
}

/** The bytes as vendors read them, with the type that they have. */
export function normalizeMedia({ type, data }: Base64Media): Base64Media {
  // Some clients write a data address where only its base64 belongs.
  const plain = plainBase64(bytesInAddress(data)?.data ?? data)
  const name = type.toLowerCase()
  return { type: typeOfBytes(plain) ?? (Object.hasOwn(otherNames, name) ? (otherNames[name] ?? name) : name), data: plain }
}

/** A type that says nothing. */
export const saysNothing = (type: string): boolean => type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream'

export const isImage = (type: string): boolean => type.startsWith('image/') && type !== 'image/svg+xml'

/** What is noted of a change. */
export function noteOfMedia(before: Base64Media, after: Base64Media): string {
  return before.type === after.type ? `${after.type}: base64` : `${before.type === '' ? 'no type' : before.type} -> ${after.type}`
}
