import { json } from '../../fake-upstream.ts'
import { inPieces, type ReadRequest, type ScriptedError, type ScriptedResponse, sse, type VendorDouble } from '../vendor-double.ts'

interface Part {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
}

interface Message {
  readonly role: string
  readonly content: string | readonly Part[] | null
}

interface Request {
  readonly messages: readonly Message[]
  readonly stream?: boolean
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
  /** The older form of tools. */
  readonly functions?: ReadonlyArray<{ readonly name: string }>
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
}

const partsOf = ({ content }: Message): readonly Part[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])

const textOf = (message: Message | undefined): string =>
  message === undefined
    ? ''
    : partsOf(message)
        .map(({ text = '' }) => text)
        .join('')

function usageOf({ usage }: ScriptedResponse) {
  if (usage === undefined) return undefined
  const { prompt, completion, cached = 0 } = usage
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  }
}

const callsOf = ({ tools = [] }: ScriptedResponse) =>
  tools.map(({ name, input }, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))

const head = { id: 'chatcmpl-vendor', created: 1_700_000_000, model: 'vendor-model' }
const error = (status: number, code: string | null, message: string) =>
  json({ error: { message, type: status === 429 ? (code ?? 'requests') : 'invalid_request_error', param: null, code } }, status)

/** OpenAI's own wire, which most vendors speak. */
export const openaiDouble: VendorDouble = {
  name: 'OpenAI',
  type: 1,
  key: 'sk-vendor-key',
  model: 'gpt-4o-mini',
  whole(response) {
    const calls = callsOf(response).map(({ index: _index, ...call }) => call)
    const message = {
      role: 'assistant',
      content: response.text ?? null,
      ...(response.reasoning === undefined ? {} : { reasoning_content: response.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
    const choices = [{ index: 0, message, finish_reason: response.finish ?? 'stop' }]
    return json({ ...head, object: 'chat.completion', choices, usage: usageOf(response) })
  },
  stream(response) {
    const chunk = (delta: object, reason: string | null = null) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    })
    const usage = usageOf(response)
    return {
      contentType: 'text/event-stream',
      frames: sse([
        chunk({ role: 'assistant', content: '' }),
        ...inPieces(response.reasoning ?? '').map((piece) => chunk({ reasoning_content: piece })),
        ...inPieces(response.text ?? '').map((content) => chunk({ content })),
        ...callsOf(response).map((call) => chunk({ tool_calls: [call] })),
        chunk({}, response.finish ?? 'stop'),
        ...(usage === undefined ? [] : [{ ...head, object: 'chat.completion.chunk', choices: [], usage }]),
        '[DONE]',
      ]),
    }
  },
  error: (what: ScriptedError) =>
    ({
      bad_key: error(401, 'invalid_api_key', 'Incorrect API key provided'),
      no_quota: error(429, 'insufficient_quota', 'You exceeded your current quota'),
      rate_limited: error(429, 'rate_limit_exceeded', 'Rate limit reached'),
      unavailable: error(503, null, 'The server is overloaded'),
      model_not_found: error(404, 'model_not_found', 'The model does not exist'),
      bad_request: error(400, null, 'Invalid value for temperature'),
      context_length: error(400, 'context_length_exceeded', 'maximum context length is 128000 tokens'),
      content_policy: error(400, 'content_policy_violation', 'Your request was rejected by our safety system'),
    })[what],
  errorFrame: () => sse([{ error: { message: 'The server had an error', type: 'server_error', param: null, code: null } }])[0] ?? null,
  read({ body }): ReadRequest {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const request = JSON.parse(body) as Request
    const { messages, stream = false, tools = [], functions = [], max_tokens: limit = request.max_completion_tokens } = request
    const images = messages.flatMap(partsOf).flatMap((part) => part.image_url?.url.split('base64,')[1] ?? [])
    return {
      text: textOf(messages.findLast(({ role }) => role === 'user')),
      system: textOf(messages.find(({ role }) => role === 'system')),
      stream,
      tools: [...tools.map((tool) => tool.function), ...functions].map(({ name }) => name),
      limit,
      images: images,
      results: messages.filter(({ role }) => role === 'tool' || role === 'function').map(textOf),
    }
  },
  isAuthorized: ({ headers }) => headers['authorization'] === 'Bearer sk-vendor-key',
}
