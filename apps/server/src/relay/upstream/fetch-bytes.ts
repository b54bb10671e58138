import type { BudgetShare } from '@sluice/http1/byte-budget'
import type { Deadlines } from '../../lib/deadlines.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { UpstreamClient } from './http1/client.ts'
import { decodeBody } from './http1/decode-body.ts'
import { mediaTypeOf } from './plain-responses.ts'
import { readCapped } from './read-capped.ts'

export interface FetchDeps {
  readonly client: UpstreamClient
  readonly deadlines: Deadlines
}

interface FetchOptions {
  readonly proxy: string | null
  readonly accept: string
  /** Whether a content type is one of those that are wanted. */
  readonly isWanted: (type: string) => boolean
  /** See `UpstreamRequest`. */
  readonly isPublicOnly: boolean
  readonly bytesMax: number
  readonly timeMs: number
  readonly openShare?: () => BudgetShare
  readonly signal?: AbortSignal
}

interface Fetched {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What is behind an address could not be had; `detail` says why. */
export interface NotFetched {
  readonly detail: string
  readonly cause?: unknown
}

/** Fetches what is behind an address, once, without any credential, through the client that checks the address of every vendor. */
export async function fetchBytes(url: string, options: FetchOptions, { client, deadlines }: FetchDeps): Promise<Fetched | NotFetched> {
  const { proxy, accept, isWanted, isPublicOnly, bytesMax, timeMs, openShare, signal } = options
  const headers = { accept, 'accept-encoding': 'identity' }
  const outbound = client.send({ method: 'GET', url, headers, body: null, isRepeatable: true, proxy, isPublicOnly })
  const deadline = deadlines.start(timeMs, () => outbound.abort())
  const stop = (): void => outbound.abort()
  if (signal !== undefined) whenAborted(signal, stop)
  const refuse = (detail: string): NotFetched => {
    outbound.abort()
    return { detail }
  }
  try {
    const response = decodeBody(await outbound.response)
    if (response === null) return refuse('unsupported compression')
    if (response.status !== 200) return refuse(`status ${response.status}`)
    const type = mediaTypeOf(response)
    if (!isWanted(type)) return refuse(`unsupported type ${type}`)
    const { bytes, isCut } = await readCapped(response, bytesMax, openShare === undefined ? {} : { openShare })
    return isCut ? refuse(`larger than ${bytesMax / 1024 / 1024} MB`) : { type, bytes }
  } catch (cause) {
    outbound.abort()
    return { detail: 'unreachable', cause }
  } finally {
    deadlines.cancel(deadline)
    signal?.removeEventListener('abort', stop)
  }
}
