import { json } from '../../fake-upstream.ts'
import { inPieces, type ReadRequest, type ScriptedError, type ScriptedResponse, sse, type VendorDouble } from '../vendor-double.ts'

interface Block {
  readonly type: string
  readonly text?: string
  readonly source?: { readonly data?: string }
  readonly content?: string | readonly Block[]
}

interface Request {
  readonly system?: string | readonly Block[]
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | readonly Block[] }>
  readonly stream?: boolean
  readonly tools?: ReadonlyArray<{ readonly name: string; readonly defer_loading?: boolean }>
  readonly max_tokens?: number
}

const blocksOf = (content: string | readonly Block[] | undefined): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])

const textOf = (content: string | readonly Block[] | undefined): string =>
  blocksOf(content)
    .map(({ text = '' }) => text)
    .join('')

/** Cached input is not part of `input_tokens`. */
function inputOf({ usage }: ScriptedResponse) {
  if (usage === undefined) return {}
  const { prompt, cached = 0 } = usage
  return { input_tokens: prompt - cached, cache_read_input_tokens: cached }
}

const outputOf = ({ usage }: ScriptedResponse) => (usage === undefined ? {} : { output_tokens: usage.completion })

const reasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' } as const

const error = (status: number, type: string, message: string) => json({ type: 'error', error: { type, message } }, status)

/** Anthropic's Messages API. */
export const anthropicDouble: VendorDouble = {
  name: 'Anthropic',
  type: 14,
  key: 'sk-ant-vendor-key',
  model: 'claude-sonnet-4-5',
  whole: (response) =>
    json({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'vendor-model',
      content: [
        ...(response.reasoning === undefined ? [] : [{ type: 'thinking', thinking: response.reasoning, signature: 'EqQBCg==' }]),
        ...(response.text === undefined ? [] : [{ type: 'text', text: response.text }]),
        ...(response.tools ?? []).map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input })),
      ],
      stop_reason: reasons[response.finish ?? 'stop'],
      usage: { ...inputOf(response), ...outputOf(response) },
    }),
  stream(response) {
    let index = -1
    const block = (opening: object, deltas: readonly object[]) => {
      index += 1
      return [
        { type: 'content_block_start', index, content_block: opening },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]
    }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'vendor-model', content: [], usage: inputOf(response) }
    const thinking = inPieces(response.reasoning ?? '').map((piece) => ({ type: 'thinking_delta', thinking: piece }))
    const signature = { type: 'signature_delta', signature: 'EqQBCg==' }
    const texts = inPieces(response.text ?? '').map((text) => ({ type: 'text_delta', text }))
    return {
      contentType: 'text/event-stream',
      frames: sse(
        [
          { type: 'message_start', message },
          ...(thinking.length === 0 ? [] : block({ type: 'thinking', thinking: '', signature: '' }, [...thinking, signature])),
          ...(texts.length === 0 ? [] : block({ type: 'text', text: '' }, texts)),
          ...(response.tools ?? []).flatMap(({ name, input }, at) =>
            block(
              { type: 'tool_use', id: `toolu_${at}`, name, input: {} },
              inPieces(JSON.stringify(input)).map((json) => ({ type: 'input_json_delta', partial_json: json })),
            ),
          ),
          { type: 'message_delta', delta: { stop_reason: reasons[response.finish ?? 'stop'] }, usage: outputOf(response) },
          { type: 'message_stop' },
        ],
        true,
      ),
    }
  },
  error: (what: ScriptedError) =>
    ({
      bad_key: error(401, 'authentication_error', 'invalid x-api-key'),
      no_quota: error(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API'),
      rate_limited: error(429, 'rate_limit_error', 'This request would exceed your rate limit'),
      unavailable: error(529, 'overloaded_error', 'Overloaded'),
      model_not_found: error(404, 'not_found_error', 'model: claude-none'),
      bad_request: error(400, 'invalid_request_error', 'temperature: Input should be less than or equal to 1'),
      context_length: error(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      content_policy: null,
    })[what],
  errorFrame: () => sse([{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }], true)[0] ?? null,
  read({ body }): ReadRequest {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { system, messages, stream = false, tools = [], max_tokens: limit } = JSON.parse(body) as Request
    const blocks = messages.flatMap(({ content }) => blocksOf(content))
    return {
      text: textOf(messages.findLast(({ role }) => role === 'user')?.content),
      system: textOf(system),
      stream,
      // The model sees a deferred tool when something refers to it.
      tools: tools
        .map(({ name, defer_loading: isLater }) => (isLater === true && !body.includes(`"tool_name":"${name}"`) ? '' : name))
        .filter((name) => name !== ''),
      limit,
      images: blocks.flatMap(({ type, source }) => (type === 'image' ? (source?.data ?? []) : [])),
      results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(content)),
    }
  },
  isAuthorized: ({ headers }) => headers['x-api-key'] === 'sk-ant-vendor-key' && headers['anthropic-version'] !== undefined,
}
