import { randomBytes } from 'node:crypto'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random base62 text: all characters are equally likely (bytes over 247 are thrown away). */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += base62[byte % 62]
    }
  }
  return text
}

/** 128 random bits as 32 hexadecimal digits. */
export function randomHex128(): string {
  return randomBytes(16).toString('hex')
}

/** Id of one form submission, unlike those of other forms that were loaded from the same row. */
export function newFormId(): string {
  return randomBase62(12)
}

/** Unique and increasing (UUID version 7), also when the clock steps back. */
export function newRequestId(): string {
  return Bun.randomUUIDv7()
}
