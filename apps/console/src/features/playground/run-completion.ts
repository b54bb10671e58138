import { log } from '@sluice/contract'
import { call, type RelayStream, streamRelay } from '../../lib/api.ts'
import { chatPath } from './chat-request.ts'
import { eventReader, withPart } from './completion-chunks.ts'
import type { Completion } from './conversation.ts'

interface CompletionSpec {
  /** The token's key without its prefix. */
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** The response so far; called at most once a frame while it streams. */
  readonly onChange: (change: (completion: Completion) => Completion) => void
  readonly nowMs: () => number
}

/** How often a streaming completion is rendered: each rendering costs more than a token takes to arrive. */
const drawEveryMs = 50

/** Asks for one response and follows it to its end. Never throws: a response that fails says why. */
export async function runCompletion({ key, body, signal, onChange, nowMs }: CompletionSpec): Promise<void> {
  const end = (change: Partial<Completion>) =>
    onChange((completion) => ({ ...completion, ...change, totalMs: Math.round(nowMs() - completion.startedMs) }))
  try {
    const completion = await streamRelay(chatPath, { key, body, signal })
    onChange((now) => ({ ...now, requestId: completion.requestId }))
    await read(completion, { onChange, nowMs })
    end({})
    onChange((now) => (now.state === 'running' ? { ...now, state: 'done' } : now))
    await addPrice(completion.requestId, onChange)
  } catch (error) {
    if (signal.aborted) end({ state: 'stopped' })
    else end({ state: 'failed', error: error instanceof Error ? error.message : String(error) })
  }
}

type Reading = Pick<CompletionSpec, 'onChange' | 'nowMs'>

async function read({ body, isStream }: RelayStream, { onChange, nowMs }: Reading): Promise<void> {
  const firstMs = (completion: Completion): Completion => ({
    ...completion,
    firstMs: completion.firstMs ?? Math.round(nowMs() - completion.startedMs),
  })
  if (!isStream) {
    const whole: unknown = await new Response(body).json()
    return onChange((completion) => withPart(firstMs(completion), whole))
  }
  const eventsOf = eventReader()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let waiting: unknown[] = []
  /** The first chunk is rendered at once, because its time is shown; further ones together, also if nothing follows for a while. */
  let isRendered = false
  let timer: ReturnType<typeof setTimeout> | null = null
  const draw = () => {
    const parts = waiting
    waiting = []
    timer = null
    isRendered ||= parts.length > 0
    if (parts.length > 0) onChange((completion) => parts.reduce<Completion>(withPart, firstMs(completion)))
  }
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      for (const data of eventsOf(decoder.decode(piece.value, { stream: true }))) if (data !== '[DONE]') waiting.push(JSON.parse(data))
      if (isRendered) timer ??= setTimeout(draw, drawEveryMs)
      else draw()
    }
  } finally {
    if (timer !== null) clearTimeout(timer)
    draw()
  }
}

/** What was charged stands in the log: its row is written before the response ends. */
async function addPrice(requestId: string, onChange: CompletionSpec['onChange']): Promise<void> {
  if (requestId === '') return
  try {
    const [row] = await call(log.listSelf, { request_id: requestId, size: 1 })
    if (row !== undefined) onChange((completion) => ({ ...completion, quota: row.quota }))
  } catch {
    // The response is shown without its price.
  }
}
