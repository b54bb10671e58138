/**
 * The cryptography that signatures and credentials need. It is an argument, because this package runs in the console too and has no
 * dependencies. Texts are hashed as UTF-8.
 */
export interface CryptoFunctions {
  sha256(data: string | Uint8Array): Uint8Array
  hmacSha256(key: string | Uint8Array, data: string): Uint8Array
  /** RSASSA-PKCS1-v1_5 with SHA-256. @param privateKey in PEM. @throws Error if the key cannot be read */
  rs256(privateKey: string, data: string): Uint8Array
}

const digits = '0123456789abcdef'

/** A signature needs it several times, and this is seven times as fast as a list of parts. */
export function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += digits.charAt(byte >> 4) + digits.charAt(byte & 15)
  return text
}

/** Bytes that become text at once: a multiple of three, so that the chunks can be joined. */
const pieceBytes = 0x6000

export function base64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += pieceBytes) text += btoa(charactersOf(bytes.subarray(start, start + pieceBytes)))
  return text
}

/** A character for each byte. `apply` takes a list of bytes as it is, eight times as fast as spreading it. */
function charactersOf(bytes: Uint8Array): string {
  // Holds: `apply` takes anything with a length and numbers.
  return String.fromCharCode.apply(null, bytes as unknown as number[])
}

/** The bytes of hexadecimal digits; `null` = the text is none. Texts have megabytes: the audio of a response. */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 2 === 1) return null
  const bytes = new Uint8Array(text.length / 2)
  for (let at = 0; at < bytes.length; at += 1) {
    const value = (digitOf(text.charCodeAt(2 * at)) << 4) | digitOf(text.charCodeAt(2 * at + 1))
    if (value < 0) return null
    bytes[at] = value
  }
  return bytes
}

/** The value of a hexadecimal digit by its character code; -1 = it is none. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

export function base64Url(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
