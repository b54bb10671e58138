import { log } from '@sluice/contract'
import { call, type RelayStream, streamRelay } from '../../lib/api.ts'
import { eventReader, withPart } from './answer-chunks.ts'
import { chatPath } from './chat-request.ts'
import type { Answer } from './conversation.ts'

interface AnswerSpec {
  /** The token's key without its prefix. */
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** The answer so far; called at most once a frame while it streams. */
  readonly onChange: (change: (answer: Answer) => Answer) => void
  readonly nowMs: () => number
}

/** How often a streaming answer is drawn: each drawing costs more than a token takes to arrive. */
const drawEveryMs = 50

/** Asks for one answer and follows it to its end. Never throws: an answer that fails says why. */
export async function runAnswer({ key, body, signal, onChange, nowMs }: AnswerSpec): Promise<void> {
  const end = (change: Partial<Answer>) => onChange((answer) => ({ ...answer, ...change, totalMs: Math.round(nowMs() - answer.startedMs) }))
  try {
    const answer = await streamRelay(chatPath, { key, body, signal })
    onChange((now) => ({ ...now, requestId: answer.requestId }))
    await read(answer, { onChange, nowMs })
    end({})
    onChange((now) => (now.state === 'running' ? { ...now, state: 'done' } : now))
    await addPrice(answer.requestId, onChange)
  } catch (error) {
    if (signal.aborted) end({ state: 'stopped' })
    else end({ state: 'failed', error: error instanceof Error ? error.message : String(error) })
  }
}

type Reading = Pick<AnswerSpec, 'onChange' | 'nowMs'>

async function read({ body, isStream }: RelayStream, { onChange, nowMs }: Reading): Promise<void> {
  const firstMs = (answer: Answer): Answer => ({ ...answer, firstMs: answer.firstMs ?? Math.round(nowMs() - answer.startedMs) })
  if (!isStream) {
    const whole: unknown = await new Response(body).json()
    return onChange((answer) => withPart(firstMs(answer), whole))
  }
  const eventsOf = eventReader()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let waiting: unknown[] = []
  /** The first part is drawn at once, because its time is told; further parts together, also if nothing follows for a while. */
  let isDrawn = false
  let timer: ReturnType<typeof setTimeout> | null = null
  const draw = () => {
    const parts = waiting
    waiting = []
    timer = null
    isDrawn ||= parts.length > 0
    if (parts.length > 0) onChange((answer) => parts.reduce<Answer>(withPart, firstMs(answer)))
  }
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      for (const data of eventsOf(decoder.decode(piece.value, { stream: true }))) if (data !== '[DONE]') waiting.push(JSON.parse(data))
      if (isDrawn) timer ??= setTimeout(draw, drawEveryMs)
      else draw()
    }
  } finally {
    if (timer !== null) clearTimeout(timer)
    draw()
  }
}

/** What was charged stands in the log: its row is written before the answer ends. */
async function addPrice(requestId: string, onChange: AnswerSpec['onChange']): Promise<void> {
  if (requestId === '') return
  try {
    const [row] = await call(log.listSelf, { request_id: requestId, size: 1 })
    if (row !== undefined) onChange((answer) => ({ ...answer, quota: row.quota }))
  } catch {
    // The answer is shown without its price.
  }
}
