import type { Received, Script, Step } from '../fake-upstream.ts'

// A vendor double speaks one vendor's wire, so that one suite of cases can run against every dialect.

/** What the double is to respond, in terms that every vendor has. */
export interface ScriptedResponse {
  readonly text?: string
  readonly reasoning?: string
  readonly tools?: ReadonlyArray<{ readonly name: string; readonly input: object }>
  readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  /** All input, all output, and the part of the input that was read from a cache. Missing: the double's vendor reports none. */
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly cached?: number }
}

/** An error, by what is wrong. */
export type ScriptedError =
  | 'bad_key'
  | 'no_quota'
  | 'rate_limited'
  | 'unavailable'
  | 'model_not_found'
  | 'bad_request'
  | 'context_length'
  | 'content_policy'

/** A request as the vendor understands it. */
export interface ReadRequest {
  /** The text of the last message of the user. */
  readonly text: string
  readonly system: string
  readonly stream: boolean
  readonly tools: readonly string[]
  readonly limit: number | undefined
  /** Base64 of the images that came as data. */
  readonly images: readonly string[]
  /** Results of tools, as texts. */
  readonly results: readonly string[]
}

/** Features that a vendor may lack. The suite then expects a refusal, or leaves the case out. */
export type Feature =
  | 'stream'
  /** It sends events to who asks for a stream, and not a whole response. */
  | 'events'
  | 'tools'
  | 'parallel tools'
  /** Several calls in one response. */
  | 'several calls'
  | 'reasoning'
  | 'cached'
  | 'images'
  | 'limit'
  /** The vendor counts in tokens, or not at all. */
  | 'usage'
  | 'estimate'
  | 'content_filter'

export interface VendorDouble {
  readonly name: string
  /** Channel type. */
  readonly type: number
  /** `{upstream}` stands for the address of the double. */
  readonly key: string
  readonly config?: Readonly<Record<string, string>>
  readonly other?: string
  /** A model with a price. */
  readonly model: string
  readonly lacks?: readonly Feature[]
  /** Another double speaks the same wire: only the credential differs. */
  readonly hasOtherCredential?: true
  whole(response: ScriptedResponse): Script
  /** The events of a stream, each with the bytes that frame it; the last one ends the stream. */
  stream(response: ScriptedResponse): { readonly contentType: string; readonly frames: readonly Uint8Array[] }
  /** `null`: the vendor documents no such error. */
  error(what: ScriptedError): Script | null
  /** An error within a stream that has begun; `null`: the protocol has none. */
  errorFrame(): Uint8Array | null
  read(request: Received): ReadRequest
  /** The response to a request for the credential that the vendor gives for the key; `null`: it is no such request. */
  grant?(request: Received): Script | null
  /** The credential that `grant` gives. */
  readonly credential?: string
  /** Whether the request carries the channel's key as the vendor wants it. */
  isAuthorized(request: Received): boolean
}

const encoder = new TextEncoder()

/** Server-sent events; each with the name of its type, if it has one. */
export function sse(data: readonly unknown[], named = false): readonly Uint8Array[] {
  return data.map((item) => {
    const name = named && typeof item === 'object' && item !== null && 'type' in item ? `event: ${String(item.type)}\n` : ''
    return encoder.encode(`${name}data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`)
  })
}

/** A stream of these pieces, and the steps after them. */
export function pieces(contentType: string, bytes: readonly Uint8Array[], end: Script = []): Script {
  const head: Step = { do: 'head', status: 200, headers: { 'content-type': contentType } }
  return [head, ...bytes.map((piece): Step => ({ do: 'send', bytes: piece })), ...end]
}

/** Splits a text in three, as models do. */
export function inPieces(text: string): readonly string[] {
  const letters = Array.from(text)
  const third = Math.max(1, Math.ceil(letters.length / 3))
  return [0, 1, 2].map((part) => letters.slice(part * third, (part + 1) * third).join('')).filter((piece) => piece !== '')
}
