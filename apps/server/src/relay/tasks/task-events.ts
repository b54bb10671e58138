import type { ResponseStream } from '@sluice/http1/response'
import type { Clock } from '../../lib/clock.ts'
import type { Running } from '../../lib/running.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { ReadDeps } from '../ingress/read-request.ts'
import { heldWhile, type Reading, type ReadingDeps, reading } from '../ingress/read-with-permit.ts'
import type { StreamPlaces } from '../ingress/stream-places.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { eventFrame } from '../wire/stream-frames.ts'
import type { Tasks } from './create-tasks.ts'
import type { WatchedTask } from './task-watch.ts'

export interface EventDeps extends ReadingDeps, Pick<ReadDeps, 'limits'> {
  readonly clock: Clock
  readonly running: Running
  readonly tasks: Pick<Tasks, 'read' | 'watch'>
  readonly streamPlaces: StreamPlaces
}

/** How long events last at most. */
const eventsMsMax = 30 * 60_000

/** Progress as server-sent events: the task whenever it changes, and at its end, after which the stream ends. Comments come between. */
export const taskEvents = reading<EventDeps>(async (read) => {
  const { caller, incoming, deps, path } = read
  const row = await deps.tasks.read(caller, path['id'] ?? '')
  const first = deps.tasks.watch.asWatched(row)
  const headers = { ...relayHeaders(incoming.requestId, 0), ...eventFrame.headers }
  const release = await deps.streamPlaces.take(caller.tokenId)
  return await heldWhile(release, incoming.request.signal, async () => ({
    status: 200,
    headers,
    body: (stream) => follow(stream, { ...read, id: row.public_id, first }),
  }))
})

interface Following extends Reading<EventDeps> {
  readonly id: string
  readonly first: WatchedTask
}

const encoder = new TextEncoder()

function follow(stream: ResponseStream, { id, first, incoming, deps }: Following): void {
  const { clock, limits, running, tasks } = deps
  const untilMs = clock.monotonicMs() + eventsMsMax
  let lastText = ''
  let wroteMs = clock.monotonicMs()
  let isOver = false
  let leave = (): unknown => undefined
  const done = running.begin(() => end())
  const end = (): void => {
    if (isOver) return
    isOver = true
    leave()
    done()
    stream.end()
  }
  const write = (bytes: Uint8Array): void => {
    wroteMs = clock.monotonicMs()
    stream.write(bytes)
  }
  const show = ({ text, isEnded }: WatchedTask): void => {
    if (text !== lastText) write(encoder.encode(`event: ${isEnded ? 'done' : 'progress'}\ndata: ${text}\n\n`))
    else if (clock.monotonicMs() - wroteMs >= limits.heartbeatMs) write(eventFrame.beat)
    lastText = text
    if (isEnded || clock.monotonicMs() >= untilMs) end()
  }
  whenAborted(incoming.request.signal, end)
  if (!isOver) show(first)
  if (!isOver) leave = tasks.watch.follow(id, (task) => (task === null ? end() : show(task)))
}
