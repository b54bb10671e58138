/** Reads the header fields of a message. */
export interface FieldReader {
  /** @param name in lower case. A field that came several times is one, joined by commas. `null`: it did not come. */
  get(name: string): string | null
  has(name: string): boolean
}

/** The fields of a head as it came, looked up where they are asked for: few ever are, so none is taken apart before it is. */
export class Fields implements FieldReader {
  readonly #text: string
  readonly #lower: string

  /** @param head the whole head, without the empty line behind it; its form has been checked */
  constructor(head: string) {
    this.#text = head
    this.#lower = head.toLowerCase()
  }

  get(name: string): string | null {
    const start = `\r\n${name}:`
    let found: string | null = null
    for (let at = this.#lower.indexOf(start); at !== -1; at = this.#lower.indexOf(start, at + 1)) {
      const end = this.#text.indexOf('\r\n', at + start.length)
      const value = trimmed(this.#text, at + start.length, end === -1 ? this.#text.length : end)
      found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`
    }
    return found
  }

  has(name: string): boolean {
    return this.#lower.includes(`\r\n${name}:`)
  }
}

const [tab, space] = [9, 32]

/** Without spaces and tabs around it: no other character is whitespace in a field (RFC 9110, 5.6.3). */
function trimmed(text: string, start: number, end: number): string {
  let [first, last] = [start, end]
  while (first < last && isSpace(text.charCodeAt(first))) first += 1
  while (last > first && isSpace(text.charCodeAt(last - 1))) last -= 1
  return text.slice(first, last)
}

function isSpace(code: number): boolean {
  return code === space || code === tab
}

/** Whether a list separated by commas has this token. @param token in lower case */
export function hasToken(list: string | null, token: string): boolean {
  if (list === null) return false
  const wanted = list.toLowerCase()
  if (wanted === token) return true
  return wanted.includes(token) && wanted.split(',').some((part) => trimmed(part, 0, part.length) === token)
}

/** Each character is one byte, and none of them ends the field (RFC 9110, 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** One field as it is sent. @throws TypeError where the value cannot be sent as it is */
export function fieldLine(name: string, value: string): string {
  if (!fieldValue.test(value)) throw new TypeError(`the header ${name} cannot be sent`)
  return `${name}: ${value}\r\n`
}

/** All of them but what says how long the connection lasts, which is not for whoever makes a message to say. @throws TypeError as `fieldLine` */
export function fieldLines(headers: Readonly<Record<string, string>>): string {
  let lines = ''
  for (const name in headers) if (name !== 'connection') lines += fieldLine(name, headers[name] ?? '')
  return lines
}
