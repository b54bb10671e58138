import type { Signal } from '@sluice/http1/client-abort'
import type { PlainResponse, ResponseStream, ServerResponse } from '@sluice/http1/response'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { Caller } from '../model/caller.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { PathParts } from '../model/kind-rules.ts'
import { enter } from './admission.ts'
import type { Callers } from './callers.ts'
import type { TokenLimiter } from './token-limits.ts'

export interface ReadingDeps {
  readonly callers: Pick<Callers, 'admit'>
  readonly limiter: TokenLimiter
}

/** An admitted request that reads or changes what is stored. */
export interface Reading<Deps> {
  readonly caller: Caller
  readonly incoming: RelayRequest
  readonly deps: Deps
  readonly path: PathParts
}

/** A handler that counts against the limits of the token until its response has ended. */
export function reading<Deps extends ReadingDeps>(
  work: (read: Reading<Deps>) => Promise<ServerResponse>,
): (incoming: RelayRequest, deps: Deps, path: PathParts) => Promise<ServerResponse> {
  return async (incoming, deps, path) => {
    const caller = await deps.callers.admit(incoming, incoming.protocol.keyForms)
    const permit = await enter(caller, deps.limiter)
    return await heldWhile(permit.acquire(), incoming.request.signal, () => work({ caller, incoming, deps, path }))
  }
}

/** Releases a place when the work has failed or its response has ended, also if the client leaves before. */
export async function heldWhile(release: () => void, signal: Signal, work: () => Promise<ServerResponse>): Promise<ServerResponse> {
  try {
    const response = await work()
    if (isStreamed(response)) return releasedAtEnd(response, release, signal)
    release()
    return response
  } catch (error) {
    release()
    throw error
  }
}

interface StreamedResponse extends PlainResponse {
  readonly body: (stream: ResponseStream) => void
}

function isStreamed(response: ServerResponse): response is StreamedResponse {
  return !(response instanceof Response) && typeof response.body === 'function'
}

function releasedAtEnd(response: StreamedResponse, release: () => void, signal: Signal): PlainResponse {
  whenAborted(signal, release)
  return { ...response, body: (stream) => response.body(releasing(stream, release)) }
}

function releasing(stream: ResponseStream, release: () => void): ResponseStream {
  return {
    get drained() {
      return stream.drained
    },
    set drained(drained) {
      stream.drained = drained
    },
    write: (bytes) => stream.write(bytes),
    end() {
      release()
      stream.end()
    },
    reset() {
      release()
      stream.reset()
    },
  }
}
