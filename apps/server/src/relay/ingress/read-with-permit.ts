import type { Signal } from '@sluice/http1/client-abort'
import type { PlainReply, Reply, ReplyStream } from '@sluice/http1/reply'
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

/** A handler that counts against the limits of the token until its answer has ended. */
export function reading<Deps extends ReadingDeps>(
  work: (read: Reading<Deps>) => Promise<Reply>,
): (incoming: RelayRequest, deps: Deps, path: PathParts) => Promise<Reply> {
  return async (incoming, deps, path) => {
    const caller = await deps.callers.admit(incoming, incoming.protocol.keyForms)
    const permit = await enter(caller, deps.limiter)
    return await heldWhile(permit.acquire(), incoming.request.signal, () => work({ caller, incoming, deps, path }))
  }
}

/** Releases a place when the work has failed or its answer has ended, also if the client leaves before. */
export async function heldWhile(release: () => void, signal: Signal, work: () => Promise<Reply>): Promise<Reply> {
  try {
    const reply = await work()
    if (isStreamed(reply)) return releasedAtEnd(reply, release, signal)
    release()
    return reply
  } catch (error) {
    release()
    throw error
  }
}

interface StreamedReply extends PlainReply {
  readonly body: (stream: ReplyStream) => void
}

function isStreamed(reply: Reply): reply is StreamedReply {
  return !(reply instanceof Response) && typeof reply.body === 'function'
}

function releasedAtEnd(reply: StreamedReply, release: () => void, signal: Signal): PlainReply {
  whenAborted(signal, release)
  return { ...reply, body: (stream) => reply.body(releasing(stream, release)) }
}

function releasing(stream: ReplyStream, release: () => void): ReplyStream {
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
