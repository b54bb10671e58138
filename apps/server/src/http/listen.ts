import type { ByteBudget } from '@sluice/http1/byte-budget'
import { type Arrived, type HttpServer, startHttpServer } from '@sluice/http1/http-server'
import type { Reply } from '@sluice/http1/reply'
import type { Clock } from '../lib/clock.ts'
import { createDeadlines } from '../lib/deadlines.ts'
import { sampleErrors } from '../lib/sampler.ts'

interface ListenOptions {
  readonly port: number
  readonly host: string
  readonly stallMs: number
  readonly answer: (arrived: Arrived) => Promise<Reply>
  readonly clock: Clock
  readonly messageBytesMax: number
  readonly longMessages: ByteBudget
  /** Something went wrong with a connection. @param keptBack how many alike were not told since the last one */
  readonly failed: (error: unknown, keptBack: number) => void
}

/** How often failures of one kind are told: clients can cause as many as they like. */
const tellEveryMs = 1_000

/** Takes connections of clients. @throws where the port is taken */
export function listen({ stallMs, clock, failed, ...options }: ListenOptions): HttpServer {
  const report = sampleErrors(clock, tellEveryMs, failed)
  return startHttpServer({ ...options, clock, deadlines: createDeadlines(clock), timeouts: { stallMs }, report })
}
