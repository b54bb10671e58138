import type { UpstreamResponse } from '../upstream/http1/client.ts'

/** A shorter text would also occur in responses that have nothing to do with it. */
const secretBytesMin = 8

const star = 42

/**
 * The part of a channel's key that a response must not show: without the word before it, as in `Bearer sk-...`. `null`: it is too short to be
 * recognized.
 */
export function secretIn(key: string): Uint8Array | null {
  const secret = new TextEncoder().encode(key.trim().split(/\s/).at(-1) ?? '')
  return secret.length < secretBytesMin ? null : secret
}

/**
 * A response in whose body each occurrence of the secret is stars, also where chunks divide it. The length stays. Only what may be the beginning
 * of the secret waits for the next chunk.
 */
export function hideSecret(response: UpstreamResponse, secret: Uint8Array | null): UpstreamResponse {
  if (secret === null) return response
  return {
    status: response.status,
    header: (name) => response.header(name),
    abort: () => response.abort(),
    pause: () => response.pause(),
    resume: () => response.resume(),
    pipe(sink) {
      const scanner = createScanner(secret)
      const pass = (bytes: Uint8Array): void => {
        if (bytes.length > 0) sink.data(bytes)
      }
      response.pipe({
        data: (bytes) => pass(scanner.scan(bytes)),
        end() {
          pass(scanner.rest())
          sink.end()
        },
        fail: (error) => sink.fail(error),
      })
    },
  }
}

interface Scanner {
  /** @returns what can be passed on */
  scan(chunk: Uint8Array): Uint8Array
  /** What still waits. */
  rest(): Uint8Array
}

/** The search of Knuth, Morris and Pratt: each byte is looked at once or twice, whatever the response is. */
function createScanner(secret: Uint8Array): Scanner {
  const fallbacks = fallbacksOf(secret)
  /** Bytes at the end of what was scanned that are the beginning of the secret. */
  let matched = 0

  /** @returns whether the secret ends with this byte */
  function isEnd(byte: number | undefined): boolean {
    while (matched > 0 && secret[matched] !== byte) matched = fallbacks[matched - 1] ?? 0
    if (secret[matched] === byte) matched += 1
    if (matched < secret.length) return false
    matched = 0
    return true
  }

  /** Where the secret ends in the bytes. Runs without its first byte are skipped. */
  function* endsIn(bytes: Uint8Array, from: number): Generator<number> {
    for (let at = from; at < bytes.length; at += 1) {
      const next = matched > 0 ? at : bytes.indexOf(secret[0] ?? 0, at)
      if (next === -1) return
      at = next
      if (isEnd(bytes[at])) yield at + 1
    }
  }

  return {
    scan(chunk) {
      const waiting = matched
      let bytes = waiting === 0 ? chunk : Buffer.concat([secret.subarray(0, waiting), chunk])
      for (const end of endsIn(bytes, waiting)) {
        // The chunk itself may be a view of bytes that others read.
        if (bytes === chunk) bytes = Uint8Array.from(chunk)
        bytes.fill(star, end - secret.length, end)
      }
      return bytes.subarray(0, bytes.length - matched)
    },
    rest() {
      const waiting = secret.subarray(0, matched)
      matched = 0
      return waiting
    },
  }
}

/** For each length of a beginning of the secret: the longest shorter beginning that it ends with. */
function fallbacksOf(secret: Uint8Array): Uint32Array {
  const fallbacks = new Uint32Array(secret.length)
  let matched = 0
  for (let at = 1; at < secret.length; at += 1) {
    while (matched > 0 && secret[matched] !== secret[at]) matched = fallbacks[matched - 1] ?? 0
    if (secret[matched] === secret[at]) matched += 1
    fallbacks[at] = matched
  }
  return fallbacks
}
