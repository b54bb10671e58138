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
      const value = this.#text.slice(at + start.length, end === -1 ? this.#text.length : end).trim()
      found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`
    }
    return found
  }

  has(name: string): boolean {
    return this.#lower.includes(`\r\n${name}:`)
  }
}

/** Values are plain text: RFC 9110 allows more, but no byte that would end the field, and nobody needs more. */
const fieldValue = /^[\t\x20-\x7e]*$/

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
