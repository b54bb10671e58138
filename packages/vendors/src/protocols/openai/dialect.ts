import type { ChatDialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import { laterUsage, sumOfUsages, withMedia } from '../../core/no-usage.ts'
import type { StreamEnd, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { fittingCalls } from '../calls/conform-calls.ts'
import { cutting } from '../rules/cut-at-stops.ts'
import { withoutExtras } from '../shared/extra-content.ts'
import { hasLegacyFunctions } from '../shared/legacy-functions.ts'
import { askOpenAiModels } from '../shared/model-list.ts'
import { readFailure } from '../shared/openai-failure.ts'
import { withChatLimit } from '../shared/output-limit.ts'
import { withoutEmptyLimits } from '../shared/token-limit-fields.ts'
import { withoutEmptyMembers } from './empty-members.ts'
import { passthrough } from './passthrough.ts'
import { createChatRepair, repairResponse } from './repair.ts'
import { withSearches } from './search-results.ts'

const nothing: JsonObject = {}

/** The pivot itself: requests are sent almost unchanged, and responses are passed through. */
export const openai = fittingCalls(
  cutting({
    request(chat, target) {
      const { model, stream, streamUsage } = target
      const usageOptions: JsonObject =
        stream && streamUsage
          ? { stream_options: { ...(isObject(chat['stream_options']) ? chat['stream_options'] : {}), include_usage: true } }
          : nothing
      const limited = withChatLimit(withoutEmptyLimits(withoutEmptyMembers(withoutExtras(chat, 'openai'))), target)
      const body: JsonObject = { ...limited, model, ...usageOptions }
      const outgoing = { path: '/v1/chat/completions', headers: noHeaders, body }
      return hasLegacyFunctions(chat) ? { ...outgoing, callsFunctions: true } : outgoing
    },
    response(json, context) {
      const seen = passthrough.response(json)
      if (seen === null || 'kind' in seen) return seen
      return isObject(json) ? { response: repairResponse(json, context) ?? json, usage: seen.usage } : null
    },
    stream(context) {
      const repair = createChatRepair(context, false)
      // What is written in another form is written from its choices alone.
      const transform = context.isDetailed === true ? asItIs : withoutUsage
      let usage: Usage | null = null
      let media: Usage | null = null
      let searches = 0
      let complete = false
      let hasReasoning = false
      let isSourced = false
      return {
        event(data): StreamStep {
          if (data === passthrough.terminator) {
            complete = true
            return { chunks: [], text: '', failure: null, isLast: true }
          }
          const seen = passthrough.event(data)
          usage = laterUsage(usage, seen.usage)
          media = sumOfUsages(media, seen.media ?? null)
          searches = Math.max(searches, seen.searches ?? 0)
          isSourced ||= seen.isSourced === true
          complete ||= seen.finished
          hasReasoning ||= seen.hasReasoning === true
          const { text, failure, chunk } = seen
          const isHidden = seen.usageOnly || failure !== null || chunk === undefined
          return { chunks: isHidden ? [] : [transform(repair.event({ data }, seen) ?? chunk)], text, failure }
        },
        end: (): StreamEnd => ({
          complete,
          ...withMedia(withSearches(usage, searches), media),
          ...(hasReasoning ? { hasReasoning } : {}),
          ...(searches > 0 || isSourced ? { searches: Math.max(searches, 1) } : {}),
        }),
      }
    },
    failure: readFailure,
    askModels: askOpenAiModels,
    passthrough,
  } satisfies ChatDialect),
)

const asItIs = (chunk: JsonObject): JsonObject => chunk

function withoutUsage(chunk: JsonObject): JsonObject {
  if (chunk['usage'] === undefined) return chunk
  const { usage: _usage, ...rest } = chunk
  return rest
}
