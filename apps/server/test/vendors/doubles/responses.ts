import { json } from '../../fake-upstream.ts'
import { inPieces, type ReadRequest, type ScriptedResponse, sse, type VendorDouble } from '../vendor-double.ts'
import { openaiDouble } from './openai.ts'

interface Part {
  readonly text?: string
  readonly image_url?: string
}

interface Item {
  readonly type?: string
  readonly role?: string
  readonly content?: string | readonly Part[]
  readonly output?: string | readonly Part[]
}

interface Request {
  readonly input?: readonly Item[]
  readonly stream?: boolean
  readonly tools?: ReadonlyArray<{ readonly name: string }>
  readonly max_output_tokens?: number
}

const partsOf = (content: Item['content'] = ''): readonly Part[] => (typeof content === 'string' ? [{ text: content }] : content)
const textOf = (content: Item['content']): string =>
  partsOf(content)
    .map(({ text = '' }) => text)
    .join('')

function itemsOf({ text, reasoning, tools = [] }: ScriptedResponse) {
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: reasoning }] }]),
    ...(text === undefined ? [] : [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] }]),
    ...tools.map(({ name, input }, index) => ({
      ...{ type: 'function_call', id: `fc_${index}`, call_id: `call_${index}`, name, arguments: JSON.stringify(input) },
    })),
  ]
}

function responseOf(scripted: ScriptedResponse) {
  const { finish, usage } = scripted
  const reason = { length: 'max_output_tokens', content_filter: 'content_filter' }[String(finish)]
  return {
    ...{ id: 'resp_vendor', object: 'response', created_at: 1_700_000_000, model: 'vendor-model', output: itemsOf(scripted) },
    ...(reason === undefined ? { status: 'completed' } : { status: 'incomplete', incomplete_details: { reason } }),
    usage:
      usage === undefined
        ? null
        : {
            ...{ input_tokens: usage.prompt, output_tokens: usage.completion, total_tokens: usage.prompt + usage.completion },
            input_tokens_details: { cached_tokens: usage.cached ?? 0 },
          },
  }
}

function eventsOf(item: ReturnType<typeof itemsOf>[number], place: number): readonly object[] {
  const at = { output_index: place, item_id: item.id }
  const begun = { type: 'response.output_item.added', output_index: place, item: { ...item, content: [], summary: [], arguments: '' } }
  const deltas = (type: string, text: string): readonly object[] => inPieces(text).map((delta) => ({ type, ...at, delta }))
  if ('summary' in item) return [begun, ...deltas('response.reasoning_summary_text.delta', item.summary[0]?.text ?? '')]
  if ('content' in item) return [begun, ...deltas('response.output_text.delta', item.content[0]?.text ?? '')]
  return [begun, ...deltas('response.function_call_arguments.delta', item.arguments)]
}

/** OpenAI's models that reason, which get chats with functions as responses. The double responds to every chat so. */
export const responsesDouble: VendorDouble = {
  ...openaiDouble,
  name: 'OpenAI, models that reason',
  model: 'gpt-6-sol',
  whole: (scripted) => json(responseOf(scripted)),
  stream(scripted) {
    const response = responseOf(scripted)
    const begun = { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } }
    return {
      contentType: 'text/event-stream',
      frames: sse([begun, ...response.output.flatMap(eventsOf), { type: `response.${response.status}`, response }], true),
    }
  },
  errorFrame: () => sse([{ type: 'error', code: 'server_error', message: 'The server had an error', param: null }], true)[0] ?? null,
  read(request): ReadRequest {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { input, stream = false, tools = [], max_output_tokens: limit } = JSON.parse(request.body) as Request
    if (input === undefined) return openaiDouble.read(request)
    return {
      text: textOf(input.findLast(({ role }) => role === 'user')?.content),
      system: textOf(input.find(({ role }) => role === 'system')?.content),
      stream,
      tools: tools.map(({ name }) => name),
      limit,
      images: input.flatMap(({ content }) => partsOf(content)).flatMap(({ image_url: url }) => url?.split('base64,')[1] ?? []),
      results: input.filter(({ type }) => type === 'function_call_output').map(({ output }) => textOf(output)),
    }
  },
}
