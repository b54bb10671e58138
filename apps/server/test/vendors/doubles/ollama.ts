import { json } from '../../fake-upstream.ts'
import { inPieces, type ScriptedResponse, type VendorDouble } from '../vendor-double.ts'

interface Message {
  readonly role: string
  readonly content: string
  readonly images?: readonly string[]
}

interface Request {
  readonly messages: readonly Message[]
  readonly stream: boolean
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
  readonly options?: { readonly num_predict?: number }
}

const about = { model: 'vendor-model', created_at: '2026-11-22T10:00:00.000Z' }

function lastOf({ finish, usage }: ScriptedResponse) {
  const counts = usage === undefined ? {} : { prompt_eval_count: usage.prompt, eval_count: usage.completion }
  return { done: true, done_reason: finish === 'length' ? 'length' : 'stop', total_duration: 5_000, ...counts }
}

const callsOf = ({ tools = [] }: ScriptedResponse) => tools.map(({ name, input }) => ({ function: { name, arguments: input } }))

const lines = (list: readonly object[]): readonly Uint8Array[] => list.map((line) => Buffer.from(`${JSON.stringify(line)}\n`))

const error = (text: string, status: number) => json({ error: text }, status)

/** Ollama's own interface: lines of JSON. */
export const ollamaDouble: VendorDouble = {
  name: 'Ollama',
  type: 30,
  key: 'ollama-vendor-key',
  model: 'qwen3:latest',
  lacks: ['cached', 'content_filter'],
  whole(response) {
    const calls = callsOf(response)
    const message = {
      role: 'assistant',
      content: response.text ?? '',
      ...(response.reasoning === undefined ? {} : { thinking: response.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
    return json({ ...about, message, ...lastOf(response) })
  },
  stream(response) {
    const say = (message: object) => ({ ...about, message: { role: 'assistant', content: '', ...message }, done: false })
    return {
      contentType: 'application/x-ndjson',
      frames: lines([
        ...inPieces(response.reasoning ?? '').map((thinking) => say({ thinking })),
        ...inPieces(response.text ?? '').map((content) => say({ content })),
        ...callsOf(response).map((call) => say({ tool_calls: [call] })),
        { ...about, message: { role: 'assistant', content: '' }, ...lastOf(response) },
      ]),
    }
  },
  error: (what) =>
    ({
      bad_key: error('unauthorized', 401),
      no_quota: error('payment required', 402),
      rate_limited: error('too many requests', 429),
      unavailable: error('server busy, please try again. maximum pending requests exceeded', 503),
      model_not_found: error("model 'none' not found", 404),
      bad_request: error('"qwen3" does not support tools', 400),
      context_length: error('prompt too long; exceeded max context length by 4 tokens', 400),
      content_policy: null,
    })[what],
  errorFrame: () => lines([{ error: 'an error was encountered while running the model' }])[0] ?? null,
  read({ body }) {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { messages, stream, tools = [], options } = JSON.parse(body) as Request
    return {
      text: messages.findLast(({ role }) => role === 'user')?.content ?? '',
      system: messages.find(({ role }) => role === 'system')?.content ?? '',
      stream,
      tools: tools.map((tool) => tool.function.name),
      limit: options?.num_predict,
      images: messages.flatMap(({ images = [] }) => images),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
    }
  },
  isAuthorized: ({ headers, path }) => headers['authorization'] === 'Bearer ollama-vendor-key' && path === '/api/chat',
}
