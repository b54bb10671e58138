import { collected } from '@sluice/vendors/collected'
import type { ChatStream, Failure, ReplyContext, StreamStep } from '@sluice/vendors/dialect'
import type { Answer, StreamSource } from '../model/answer.ts'

interface Collecting {
  readonly stream: ChatStream
  readonly context: ReplyContext
  /** Called for every sign of life from the vendor. */
  readonly alive: () => void
}

/** Reads a whole answer that comes as a stream, because some models can only stream. `null`: it ended before its end marker. */
export async function collectStream(source: StreamSource, { stream, context, alive }: Collecting): Promise<Answer | Failure | null> {
  const steps: StreamStep[] = []
  for (let events = await source.next(); events !== null; events = await source.next()) {
    for (const { data, name } of events) if (data !== null) steps.push(stream.event(data, name))
    const failure = steps.findLast((step) => step.failure !== null)?.failure
    if (failure !== undefined && failure !== null) {
      source.abort()
      return failure
    }
    if (steps.at(-1)?.isLast === true) break
    alive()
  }
  source.close()
  const { complete, usage } = stream.end()
  if (!complete) return null
  const text = steps.map((step) => step.text).join('')
  if (stream.whole === undefined) {
    const body = JSON.stringify(collected(steps, { usage, context }))
    return { kind: 'whole', usage, text, contentType: 'application/json', body }
  }
  const made = stream.whole()
  if (made === null) return null
  return 'reply' in made
    ? { kind: 'whole', usage: made.usage, text, items: made.items, contentType: 'application/json', body: JSON.stringify(made.reply) }
    : { kind: 'whole', usage: made.usage, text, contentType: made.contentType, body: made.bytes }
}
