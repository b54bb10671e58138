import { bearer } from '../../core/auth.ts'
import { baseOf } from '../../core/join-url.ts'
import type { JsonObject } from '../../core/json.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { askCurrencies } from '../../protocols/balances/shapes.ts'
import { lowHighMax, mayThink, modelOf, withAtMost, withEffort, withoutFields, withoutThinking } from '../../protocols/compat/fields.ts'
import { withPlainResults, withReasoningOfTurns, withSystemRole } from '../../protocols/compat/messages.ts'
import { schemaAsInstruction } from '../../protocols/compat/schema-as-instruction.ts'
import { refusedIfSeveral } from '../../protocols/compat/single-choice.ts'
import { areStrict } from '../../protocols/compat/tool-choice.ts'
import { completions } from '../../protocols/openai/completions.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { lackedIn } from '../../protocols/shared/feature-use.ts'

/**
 * Source: DeepSeek API docs, "Create chat completion", "Vision", "FIM completion (beta)", "JSON output", "Thinking mode",
 * "Error codes" and "Models & pricing" of October 2026, stored copies read 2026-11-22 and 2026-11-23. `deepseek-chat` and
 * `deepseek-reasoner` ended on 2026-07-24. Only the flash models see images. Its own Responses API stores nothing, so responses are translated to
 * chats as for vendors without one (decisions/2026-11-23-seams-of-vendors.md).
 */
export const deepseek: Vendor = {
  type: 36,
  name: 'DeepSeek',
  color: 'blue',
  docs: {
    page: 'https://api-docs.deepseek.com/api/create-chat-completion',
    pages: { 'files in': 'https://api-docs.deepseek.com/guides/vision', 'audio in': 'https://api-docs.deepseek.com/guides/vision' },
  },
  group: 'china',
  dialects: { chat: openai, completions: completions },
  routes: {
    baseUrl: 'https://api.deepseek.com',

    // Filling in the middle, and schemas of tools that are enforced, are at another address.
    pathFor: (path, { kind, channel: { baseUrl }, body }) =>
      kind === 'completions' || areStrict(body)
        ? `${baseOf(baseUrl).replace(/\/(?:v\d+|beta)$/, '')}/beta${path.slice('/v1'.length)}`
        : path,
  },
  auth: bearer,
  key: { hint: 'sk-...' },
  askBalance: askCurrencies('/user/balance'),
  chat: {
    drop: ['top_k', 'seed', 'n', 'logit_bias'],
    rename: { max_completion_tokens: 'max_tokens' },
    extras: ['reasoning_content'],
    streamUsage: true,

    // A file is an image that its own call stored.
    lacks: ['files in', 'audio in', 'videos in', 'web search'],
    patch: (body) => schemaAsInstruction(reasoned(withPlainResults(withSystemRole(body)))),
  },
  models: {
    names: ['deepseek-flash', 'deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'],
    rulesFor: () => jsonByWord,
  },
  failures: {
    '402': 'no_quota',
    invalid_request_error: [
      [/maximum context length/i, 'context_length'],
      [/model (?:not exist|does not exist)/i, 'model_not_found'],
      [/insufficient balance/i, 'no_quota'],
      [/^content exists risk/i, 'content_filter'],
    ],
  },
  // Log probabilities come without reasoning only, and one model does not see.
  unsupported: unsupportedByKind({
    chat: (chat) => (chat['logprobs'] === true && mayThink(chat) ? 'logprobs' : lackedIn(chat, unseenBy(chat))),
    completions: refusedIfSeveral,
  }),
  // "Using the Anthropic API", a stored copy read 2026-11-24.
  messages: { hosts: /^api\.deepseek\.com$/, path: '/anthropic/v1/messages', models: /^deepseek-/ },
  // "Using the Responses API" and "Integrate with Codex" (its list of models), parts of stored copies read 2026-11-25: patches are free texts.
  responses: {
    ...{ hosts: /^api\.deepseek\.com$/, path: '/responses', models: /^deepseek-/ },
    ...{ tools: /^(?:function|custom)$/, efforts: /^(?:low|high|max)$/ },
  },
  patches: { completions: (body) => withAtMost(withoutFields(body, ['seed', 'logit_bias', 'user', 'n', 'best_of']), 'max_tokens', 4_096) },
}

/** "JSON output" (read 2026-11-22), and its error as vercel/ai 7913 quotes it (read 2026-11-29). */
const jsonByWord = [{ rule: 'json-word' }] as const

const unseenBy = (chat: JsonObject) => (/^deepseek-v4-pro/.test(modelOf(chat)) ? (['images in'] as const) : [])

/** While it thinks and has tools, every message of the assistant needs its reasoning: an empty one, if the client lost it. */
function reasoned(body: JsonObject): JsonObject {
  const { none: _off, ...levels } = lowHighMax
  const adjusted = withEffort(body, levels)
  return mayThink(body) ? withReasoningOfTurns(adjusted, '') : withoutThinking(adjusted)
}
