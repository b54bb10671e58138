/** Reads the header fields of a message. */
export interface FieldReader {
  /** @param name in lower case. A repeated field is joined by commas. @returns `null` if the field is missing */
  get(name: string): string | null
  has(name: string): boolean
}

/** The fields of a head, searched in its text on demand: few fields are ever read, so parsing all of them would be wasted. */
export class Fields implements FieldReader {
  readonly #text: string
  readonly #lower: string

  /** @param head the whole head, without the empty line behind it; its form has been checked */
  constructor(head: string) {
    this.#text = head
    this.#lower = head.toLowerCase()
  }

  get(name: string): string | null {
    const start = startOf(name)
    let joined: string | null = null
    for (let at = this.#lower.indexOf(start); at !== -1; at = this.#lower.indexOf(start, at + 1)) {
      const end = this.#text.indexOf('\r\n', at + start.length)
      const value = trimmed(this.#text, at + start.length, end === -1 ? this.#text.length : end)
      joined = joined === null ? value : `${joined}${name === 'cookie' ? '; ' : ', '}${value}`
    }
    return joined
  }

  has(name: string): boolean {
    return this.#lower.includes(startOf(name))
  }
}

const starts = new Map<string, string>()
/** Names come from the code, apart from those that a user configures. */
const startsMax = 1_000

/** What precedes the value of a field. Composed once for each name, because some twenty are looked up in each head. */
function startOf(name: string): string {
  const known = starts.get(name)
  if (known !== undefined) return known
  const start = `\r\n${name}:`
  if (starts.size < startsMax) starts.set(name, start)
  return start
}

const [tab, space] = [9, 32]

/** Trims spaces and tabs: no other character is whitespace in a field (RFC 9110, 5.6.3). */
function trimmed(text: string, start: number, end: number): string {
  let first = start
  let last = end
  while (first < last && isSpace(text.charCodeAt(first))) first += 1
  while (last > first && isSpace(text.charCodeAt(last - 1))) last -= 1
  return text.slice(first, last)
}

function isSpace(code: number): boolean {
  return code === space || code === tab
}

/** Whether a comma-separated list has this token. @param token in lower case */
export function hasToken(list: string | null, token: string): boolean {
  if (list === null) return false
  const lowerList = list.toLowerCase()
  if (lowerList === token) return true
  return lowerList.includes(token) && lowerList.split(',').some((part) => trimmed(part, 0, part.length) === token)
}

/** Each character is one byte, and none of them ends the field (RFC 9110, 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Whether a field can have this value: a server or a client refuses a message with any other. */
export function isFieldValue(value: string): boolean {
  return fieldValue.test(value)
}

/** One field as a line. @throws TypeError if the value has characters that a field may not have */
export function fieldLine(name: string, value: string): string {
  if (!fieldValue.test(value)) throw new TypeError(`the header ${name} cannot be sent`)
  return `${name}: ${value}\r\n`
}

/** All fields as lines, without those that control the connection: only the server sets these. @throws TypeError as `fieldLine` */
export function fieldLines(headers: Readonly<Record<string, string>>): string {
  let lines = ''
  let values = ''
  for (const name in headers) {
    if (name === 'connection') continue
    const value = headers[name] ?? ''
    values += value
    lines += `${name}: ${value}\r\n`
  }
  // All values are checked at once; if one is wrong, the check of each finds out which.
  if (!fieldValue.test(values)) for (const name in headers) if (name !== 'connection') fieldLine(name, headers[name] ?? '')
  return lines
}
