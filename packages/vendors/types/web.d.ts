// The parts of the web platform that this package uses: both the server's runtime and browsers have them.

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>)
  get(name: string): string | null
  set(name: string, value: string): void
  toString(): string
  [Symbol.iterator](): IterableIterator<[string, string]>
}

declare class URL {
  constructor(url: string, base?: string)
  static parse(url: string, base?: string): URL | null
  readonly origin: string
  readonly host: string
  readonly hostname: string
  readonly pathname: string
  readonly search: string
  readonly searchParams: URLSearchParams
  toString(): string
}

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}

declare class TextDecoder {
  constructor(encoding?: 'utf-8' | 'utf-16le' | 'utf-16be', options?: { readonly fatal: boolean })
  decode(bytes: Uint8Array): string
}

declare function btoa(text: string): string
declare function atob(text: string): string
