import type { ByteBudget } from '@sluice/http1/byte-budget'
import { type Arrived, type HttpServer, startHttpServer } from '@sluice/http1/http-server'
import type { ServerResponse } from '@sluice/http1/response'
import type { Clock } from '../lib/clock.ts'
import { createDeadlines } from '../lib/deadlines.ts'
import { descriptorsMax } from '../lib/descriptors-max.ts'
import { sampleErrors } from '../lib/sampler.ts'

interface ListenOptions {
  readonly port: number
  readonly host: string
  /** Other processes listen on the same port, and each connection comes to one of them. */
  readonly isPortShared: boolean
  readonly stallMs: number
  /** How long an idle connection is kept. */
  readonly keepMs: number
  readonly respond: (arrived: Arrived) => Promise<ServerResponse>
  readonly clock: Clock
  readonly messageBytesMax: number
  readonly longMessages: ByteBudget
  /** Called when a connection fails. @param keptBack number of similar failures suppressed since the last call */
  readonly failed: (error: unknown, keptBack: number) => void
}

/** Interval at which failures of one kind are reported: clients can cause any number of them. */
const reportEveryMs = 1_000

/** Descriptors that the server needs beside those of its clients: the database, files, and services outside. */
const ownDescriptors = 100
/** However few descriptors there are. */
const connectionsMin = 16

/**
 * Most connections of clients: half of the descriptors, because each request may need a connection to a vendor. Without a descriptor the
 * runtime would try in a loop to accept the next connection.
 */
function connectionsFor(descriptors: number): number {
  return Math.max(connectionsMin, Math.floor((descriptors - ownDescriptors) / 2))
}

/** Accepts connections of clients. @throws an error with the reason and a code if it cannot listen there */
export function listen({ stallMs, keepMs, clock, failed, ...options }: ListenOptions): HttpServer {
  const report = sampleErrors(clock, reportEveryMs, failed)
  return startHttpServer({
    ...options,
    clock,
    deadlines: createDeadlines(clock),
    timeouts: { stallMs, keepMs },
    connectionsMax: connectionsFor(descriptorsMax()),
    report,
  })
}
