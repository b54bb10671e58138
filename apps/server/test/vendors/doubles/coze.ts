import { json } from '../../fake-upstream.ts'
import { inPieces, pieces, type ScriptedResponse, type VendorDouble } from '../vendor-double.ts'

interface Request {
  readonly additional_messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly stream: boolean
  readonly user_id: string
  readonly bot_id: string
}

const frames = (events: ReadonlyArray<readonly [string, unknown]>): readonly Uint8Array[] =>
  events.map(([name, data]) => Buffer.from(`event:${name}\ndata:${JSON.stringify(data)}\n\n`))

const message = (type: string, fields: object) => ({
  id: '11',
  conversation_id: '12',
  role: 'assistant',
  type,
  content_type: 'text',
  ...fields,
})
const chat = (status: string, fields: object = {}) => ({
  id: '13',
  conversation_id: '12',
  status,
  last_error: { code: 0, msg: '' },
  ...fields,
})

function usageOf({ usage }: ScriptedResponse) {
  const { prompt, completion } = usage ?? { prompt: 0, completion: 0 }
  return { usage: { token_count: prompt + completion, input_count: prompt, output_count: completion } }
}

function stream(response: ScriptedResponse) {
  const { text = '', reasoning = '' } = response
  const piece = (fields: object) => ['conversation.message.delta', message('answer', fields)] as const
  return {
    contentType: 'text/event-stream',
    frames: frames([
      ['conversation.chat.created', chat('created')],
      ['conversation.chat.in_progress', chat('in_progress')],
      ...inPieces(reasoning).map((reasoning) => piece({ content: '', reasoning_content: reasoning })),
      ...inPieces(text).map((content) => piece({ content })),
      ['conversation.message.completed', message('answer', { content: text, reasoning_content: reasoning })],
      ['conversation.message.completed', message('follow_up', { id: '14', content: 'And what else?' })],
      ['conversation.chat.completed', chat('completed', usageOf(response))],
      ['done', '[DONE]'],
    ]),
  }
}

/** Errors come with status 200. */
const error = (code: number, msg: string) => json({ code, msg, detail: { logid: 'l' } })

/** The third interface of Coze, whose responses are always streams. */
export const cozeDouble: VendorDouble = {
  name: 'Coze',
  type: 34,
  key: 'pat_coze-vendor-key',
  config: { user_id: 'user-7' },
  model: 'coze-chat',
  lacks: ['tools', 'parallel tools', 'cached', 'images', 'limit', 'content_filter'],
  whole(response) {
    const { contentType, frames: bytes } = stream(response)
    return pieces(contentType, bytes)
  },
  stream,
  error: (what) =>
    ({
      bad_key: error(4101, 'token incorrect'),
      no_quota: error(4028, 'the free quota is used up'),
      rate_limited: error(4013, 'too many requests'),
      unavailable: error(5000, 'internal error'),
      model_not_found: error(4015, 'the bot is not published to the channel Agent As API'),
      bad_request: error(4000, 'a parameter is wrong'),
      context_length: null,
      content_policy: null,
    })[what],
  errorFrame: () =>
    frames([['conversation.chat.failed', chat('failed', { last_error: { code: 5000, msg: 'internal error' } })]])[0] ?? null,
  read({ body, headers }) {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { additional_messages: messages, stream: isStream, user_id: user, bot_id: bot } = JSON.parse(body) as Request
    if (!isStream || user !== 'user-7' || bot !== 'coze-chat') throw new Error('the request has another form')
    const [first = ''] = messages.map(({ content }) => content)
    return {
      text: messages.findLast(({ role }) => role === 'user')?.content ?? '',
      // Instructions stand before the first question.
      system: first.includes('\n\n') ? (first.split('\n\n')[0] ?? '') : '',
      // Every body requests a stream; the header says what the client wanted.
      stream: headers['accept'] === 'text/event-stream',
      tools: [],
      limit: undefined,
      images: [],
      results: [],
    }
  },
  isAuthorized: ({ headers, path }) => headers['authorization'] === 'Bearer pat_coze-vendor-key' && path === '/v3/chat',
}
