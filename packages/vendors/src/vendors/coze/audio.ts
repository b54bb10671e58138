import type { Dialect } from '../../core/dialect.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import { speech } from '../../protocols/openai/audio.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { coze, errorInResponse } from './chat.ts'

/** OpenAI's formats -> the vendor's. */
const formats: ReadonlyMap<string, string> = new Map([
  ['mp3', 'mp3'],
  ['wav', 'wav'],
  ['pcm', 'pcm'],
  ['aac', 'aac'],
  ['opus', 'ogg_opus'],
])

/** docs.coze.cn, "Speech synthesis", as the vendor's own clients have it (coze-dev/coze-js), read 2026-11-24. The voice is an id of the vendor. */
export const cozeSpeech = {
  ...speech,
  request(body, { stream }) {
    const { input, voice, speed, sample_rate } = body
    const format = textOr(body['response_format'], 'mp3')
    const refused = refusedIn(body, stream) ?? (formats.has(format) ? null : 'response_format')
    return {
      path: '/v1/audio/speech',
      headers: noHeaders,
      body: omitUndefined({ input, voice_id: voice, response_format: formats.get(format), speed, sample_rate }),
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: coze.failure,
  passthrough: { ...speech.passthrough, response: (json) => (isObject(json) ? errorInResponse(json) : null) },
} satisfies Dialect

function refusedIn({ instructions }: JsonObject, isStream: boolean): string | null {
  if (isStream) return 'stream_format'
  return textOr(instructions, '') === '' ? null : 'instructions'
}

/** "Speech recognition", likewise: the response has the text alone. */
export const cozeTranscriptions = {
  request(body, { model, stream }) {
    const refused = stream ? 'stream' : textOr(body['response_format'], 'json') === 'json' ? null : 'response_format'
    return {
      path: '/v1/audio/transcriptions',
      headers: noHeaders,
      body: { ...body, model },
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: coze.failure,
  response(json) {
    if (!isObject(json)) return null
    const failure = errorInResponse(json)
    if (failure !== null) return failure
    const { data } = json
    return isObject(data) && typeof data['text'] === 'string' ? { response: { text: data['text'] }, usage: null } : null
  },
} satisfies Dialect
