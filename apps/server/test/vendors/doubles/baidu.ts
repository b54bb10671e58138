import { json } from '../../fake-upstream.ts'
import { inPieces, type ScriptedError, type ScriptedResponse, sse, type VendorDouble } from '../vendor-double.ts'

interface Message {
  readonly role: string
  readonly content: string
}

interface Request {
  readonly messages: readonly Message[]
  readonly system?: string
  readonly stream?: boolean
  readonly functions?: ReadonlyArray<{ readonly name: string }>
  readonly max_output_tokens?: number
}

function usageOf({ usage }: ScriptedResponse) {
  if (usage === undefined) return {}
  const { prompt, completion } = usage
  return { usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } }
}

/** One function at most. */
function callOf({ tools: [call] = [] }: ScriptedResponse) {
  if (call === undefined) return {}
  return {
    function_call: { name: call.name, thoughts: 'I need it.', arguments: JSON.stringify(call.input) },
    finish_reason: 'function_call',
  }
}

const finished = ({ finish }: ScriptedResponse) => ({ is_truncated: finish === 'length', need_clear_history: false })

/** Errors come with status 200. */
const error = (error_code: number, error_msg: string) => json({ error_code, error_msg, id: 'as-1' })

/** The token of Baidu's OAuth. */
const token = '24.token-of-the-application'

/** The interface of 2023, with a token that is fetched with the key. */
export const baiduDouble: VendorDouble = {
  name: 'Baidu, before Qianfan’s second interface',
  type: 15,
  key: 'api-key|secret-key-of-baidu',
  model: 'ernie-3.5-8k',
  lacks: ['several calls', 'reasoning', 'cached', 'images', 'content_filter'],
  grant: ({ path }) => (path.startsWith('/oauth/2.0/token?') ? json({ access_token: token, expires_in: 2_592_000 }) : null),
  credential: token,
  whole: (response) =>
    json({
      id: 'as-1',
      object: 'chat.completion',
      result: response.text ?? '',
      ...finished(response),
      ...callOf(response),
      ...usageOf(response),
    }),
  stream(response) {
    const piece = (fields: object) => ({ id: 'as-1', object: 'chat.completion', is_end: false, is_truncated: false, result: '', ...fields })
    return {
      contentType: 'text/event-stream',
      frames: sse([
        ...inPieces(response.text ?? '').map((result) => piece({ result, ...usageOf(response) })),
        piece({ is_end: true, ...finished(response), ...callOf(response), ...usageOf(response) }),
      ]),
    }
  },
  error: (what: ScriptedError) =>
    ({
      bad_key: error(14, 'IAM Certification failed'),
      no_quota: error(17, 'Open api daily request limit reached'),
      rate_limited: error(18, 'Open api qps request limit reached'),
      unavailable: error(336_100, 'please try again'),
      model_not_found: error(3, 'Unsupported openapi method'),
      bad_request: error(336_003, 'the length of messages must be an odd number'),
      context_length: error(336_007, 'the max length of current question is 4800'),
      content_policy: null,
    })[what],
  errorFrame: () => sse([{ error_code: 336_000, error_msg: 'Internal error' }])[0] ?? null,
  read({ body }) {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { messages, system = '', stream = false, functions = [], max_output_tokens: limit } = JSON.parse(body) as Request
    return {
      text: messages.findLast(({ role }) => role === 'user')?.content ?? '',
      system,
      stream,
      tools: functions.map(({ name }) => name),
      limit,
      images: [],
      results: messages.filter(({ role }) => role === 'function').map(({ content }) => content),
    }
  },
  isAuthorized: ({ path }) => path === `/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions?access_token=${token}`,
}
