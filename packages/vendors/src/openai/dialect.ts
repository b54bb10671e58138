import type { ChatDialect, StreamEnd, StreamStep, Usage } from '../dialect.ts'
import { isObject, parseJson } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import { laterUsage } from '../no-usage.ts'
import { readFailure } from './failure.ts'
import { askOpenAiModels } from './model-list.ts'
import { passthrough } from './passthrough.ts'

/** The pivot itself: requests go on nearly as they came, and answers pass through. */
export const openai = {
  request(chat, { model, stream, streamUsage }) {
    const asked =
      stream && streamUsage
        ? { stream_options: { ...(isObject(chat['stream_options']) ? chat['stream_options'] : {}), include_usage: true } }
        : {}
    return { path: '/v1/chat/completions', headers: {}, body: { ...chat, model, ...asked } }
  },
  reply(json) {
    const seen = passthrough.reply(json)
    if (seen === null || 'kind' in seen) return seen
    return isObject(json) ? { reply: json, usage: seen.usage } : null
  },
  stream() {
    let usage: Usage | null = null
    let complete = false
    return {
      event(data): StreamStep {
        if (data === passthrough.terminator) complete = true
        const seen = passthrough.event(data)
        usage = laterUsage(usage, seen.usage)
        complete ||= seen.finished
        const chunk = parseJson(data)
        const isHidden = seen.usageOnly || seen.failure !== null || !isObject(chunk)
        return { chunks: isHidden ? [] : [withoutUsage(chunk)], text: seen.text, failure: seen.failure }
      },
      end: (): StreamEnd => ({ complete, usage }),
    }
  },
  failure: readFailure,
  askModels: askOpenAiModels,
  passthrough,
} satisfies ChatDialect

function withoutUsage({ usage: _usage, ...chunk }: JsonObject): JsonObject {
  return chunk
}
