import { json } from '../../fake-upstream.ts'
import { inPieces, type ScriptedResponse, sse, type VendorDouble } from '../vendor-double.ts'

interface Part {
  readonly text?: string
  readonly image_url?: { readonly url: string }
}

interface Request {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content?: string | readonly Part[] }>
  readonly stream: boolean
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
  readonly max_tokens?: number
}

const partsOf = (content: string | readonly Part[] = []): readonly Part[] => (typeof content === 'string' ? [{ text: content }] : content)
const textOf = (content: string | readonly Part[] | undefined): string =>
  partsOf(content)
    .map(({ text = '' }) => text)
    .join('')

const reasons = { stop: 'COMPLETE', length: 'MAX_TOKENS', tool_calls: 'TOOL_CALL', content_filter: 'ERROR_TOXIC' } as const

function usageOf({ usage }: ScriptedResponse) {
  if (usage === undefined) return {}
  const counts = { input_tokens: usage.prompt, output_tokens: usage.completion }
  return { usage: { billed_units: counts, tokens: counts, cached_tokens: usage.cached ?? 0 } }
}

const callOf = (name: string, index: number) => ({ id: `${name}_${index}`, type: 'function', function: { name, arguments: '' } })

const message = (type: string, part: object) => ({ type, index: 0, delta: { message: part } })

const error = (status: number, text: string) => json({ id: 'e-1', message: text }, status)

/** Cohere's second interface. */
export const cohereDouble: VendorDouble = {
  name: 'Cohere',
  type: 35,
  key: 'cohere-vendor-key',
  model: 'command-a-03-2025',
  whole: (response) =>
    json({
      id: 'c-1',
      finish_reason: reasons[response.finish ?? 'stop'],
      message: {
        role: 'assistant',
        content: [
          ...(response.reasoning === undefined ? [] : [{ type: 'thinking', thinking: response.reasoning }]),
          ...(response.text === undefined ? [] : [{ type: 'text', text: response.text }]),
        ],
        ...(response.tools === undefined
          ? {}
          : {
              tool_calls: response.tools.map(({ name, input }, index) => ({
                ...callOf(name, index),
                function: { name, arguments: JSON.stringify(input) },
              })),
            }),
      },
      ...usageOf(response),
    }),
  stream: (response) => ({
    contentType: 'text/event-stream',
    frames: sse(
      [
        { type: 'message-start', id: 'c-1', delta: { message: { role: 'assistant', content: [], tool_calls: [] } } },
        ...inPieces(response.reasoning ?? '').map((thinking) => message('content-delta', { content: { thinking } })),
        message('content-start', { content: { type: 'text', text: '' } }),
        ...inPieces(response.text ?? '').map((text) => message('content-delta', { content: { text } })),
        { type: 'content-end', index: 0 },
        ...(response.tools ?? []).flatMap(({ name, input }, index) => [
          message('tool-call-start', { tool_calls: callOf(name, index) }),
          ...inPieces(JSON.stringify(input)).map((piece) => message('tool-call-delta', { tool_calls: { function: { arguments: piece } } })),
          { type: 'tool-call-end', index },
        ]),
        { type: 'message-end', delta: { finish_reason: reasons[response.finish ?? 'stop'], ...usageOf(response) } },
      ],
      true,
    ),
  }),
  error: (what) =>
    ({
      bad_key: error(401, 'invalid api token'),
      no_quota: error(402, 'Please add or update your payment method'),
      rate_limited: error(429, 'You are using a Trial key, which is limited to 20 API calls / minute'),
      unavailable: error(503, 'service unavailable'),
      model_not_found: error(404, "model 'none' not found"),
      bad_request: error(400, 'invalid request: temperature is invalid'),
      context_length: error(400, 'too many tokens: total number of tokens in the prompt cannot exceed 128000'),
      content_policy: null,
    })[what],
  errorFrame: () => sse([{ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'out of memory' } }], true)[0] ?? null,
  read({ body }) {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { messages, stream, tools = [], max_tokens: limit } = JSON.parse(body) as Request
    return {
      text: textOf(messages.findLast(({ role }) => role === 'user')?.content),
      system: textOf(messages.find(({ role }) => role === 'system')?.content),
      stream,
      tools: tools.map((tool) => tool.function.name),
      limit,
      images: messages.flatMap(({ content }) => partsOf(content).flatMap(({ image_url: image }) => image?.url.split(',')[1] ?? [])),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
    }
  },
  isAuthorized: ({ headers, path }) => headers['authorization'] === 'Bearer cohere-vendor-key' && path === '/v2/chat',
}
