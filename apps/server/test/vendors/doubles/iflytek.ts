import { frameOf, opcode } from '@sluice/http1/web-socket-frames'
import { json, messagesType } from '../../fake-upstream.ts'
import { inPieces, pieces, type ScriptedResponse, type VendorDouble } from '../vendor-double.ts'

interface Message {
  readonly role: string
  readonly content: string
}

interface Request {
  readonly header: { readonly app_id: string }
  readonly parameter: { readonly chat: { readonly max_tokens?: number } }
  readonly payload: {
    readonly message: { readonly text: readonly Message[] }
    readonly functions?: { readonly text: ReadonlyArray<{ readonly name: string }> }
  }
}

const message = (content: object): Uint8Array => frameOf(opcode.text, Buffer.from(JSON.stringify(content)))
const goodbye = frameOf(opcode.close, Uint8Array.of(3, 232))

function usageOf({ usage }: ScriptedResponse) {
  if (usage === undefined) return {}
  const { prompt, completion } = usage
  const text = { question_tokens: 4, prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  return { usage: { text } }
}

/** Only the last message is marked, and has the usage. */
function chunk(status: 0 | 1 | 2, text: object, more: object = {}): Uint8Array {
  const header = { code: 0, message: 'Success', sid: 'cht000704fa@dx16ade44e4d87a1c802', status }
  return message({ header, payload: { choices: { status, seq: status, text: [{ role: 'assistant', index: 0, ...text }] }, ...more } })
}

function stream(response: ScriptedResponse) {
  const { text = '', reasoning = '', tools: [call] = [] } = response
  const functionCall = call && { function_call: { name: call.name, arguments: JSON.stringify(call.input) } }
  return {
    contentType: messagesType,
    frames: [
      ...inPieces(reasoning).map((reasoning) => chunk(0, { content: '', reasoning_content: reasoning })),
      ...inPieces(text).map((content) => chunk(1, { content })),
      chunk(2, { content: '', ...functionCall }, usageOf(response)),
      goodbye,
    ],
  }
}

const error = (code: number, words: string) =>
  pieces(messagesType, [message({ header: { code, message: words, sid: 'cht@dx', status: 2 } }), goodbye])

/** The WebSocket interface: one message is the request, and messages with chunks are the response. */
export const iflytekDouble: VendorDouble = {
  name: 'iFlytek, over a WebSocket',
  type: 18,
  key: 'app-1|secret-of-iflytek|key-of-iflytek',
  model: 'generalv3.5',
  lacks: ['several calls', 'cached', 'images', 'limit', 'content_filter'],
  whole(response) {
    const { contentType, frames } = stream(response)
    return pieces(contentType, frames)
  },
  stream,
  error: (what) =>
    ({
      bad_key: json({ message: 'HMAC signature does not match' }, 403),
      no_quota: error(11_200, 'AppIdNoAuthError'),
      rate_limited: error(11_202, 'AppIdQpsOverFlowError'),
      unavailable: error(10_110, 'server busy'),
      model_not_found: error(10_404, 'the domain does not exist'),
      bad_request: error(10_163, 'param validate error'),
      context_length: error(10_907, 'the token count exceeds the maximum'),
      content_policy: error(10_013, 'the input is not allowed'),
    })[what],
  errorFrame: () => message({ header: { code: 10_012, message: 'EngineInternalError', sid: 'cht@dx', status: 2 } }),
  read({ body, headers }) {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { header, parameter, payload } = JSON.parse(body) as Request
    if (header.app_id !== 'app-1') throw new Error('the request names another application')
    const { text } = payload.message
    return {
      text: text.findLast(({ role }) => role === 'user')?.content ?? '',
      system: text.find(({ role }) => role === 'system')?.content ?? '',
      // Every response is a stream.
      stream: headers['accept'] === 'text/event-stream',
      tools: payload.functions?.text.map(({ name }) => name) ?? [],
      limit: parameter.chat.max_tokens,
      images: [],
      results: text.map(({ content }) => content).filter((content) => content.startsWith('Result of')),
    }
  },
  isAuthorized({ path }) {
    const { pathname, searchParams } = new URL(path, 'http://double')
    const words = Buffer.from(searchParams.get('authorization') ?? '', 'base64').toString()
    const isFresh = Math.abs(Date.parse(searchParams.get('date') ?? '') - Date.now()) < 300_000
    return pathname === '/v3.5/chat' && isFresh && words.startsWith('api_key="key-of-iflytek", algorithm="hmac-sha256"')
  },
}
