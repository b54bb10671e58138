import { bytesOf } from '../../core/base64-bytes.ts'
import type { Dialect } from '../../core/dialect.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Outgoing } from '../../core/request.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'

/** Formats that both have. */
const types: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  opus: 'audio/ogg',
  pcm: 'audio/pcm',
}

/**
 * docs.mistral.ai, "Audio: speech", a stored copy of 2026 read 2026-11-23: the voice has an id of the vendor's or of the account, and the audio
 * comes in base64. OpenAI's voices have no counterpart, so their names are left out and the model's own voice speaks.
 */
export const mistralSpeech = {
  request(body, { model, stream }) {
    const { input, voice, ref_audio, response_format: format } = body
    const audioFormat = textOr(format, 'mp3')
    const named = textOr(voice, '')
    return {
      path: '/v1/audio/speech',
      headers: {},
      body: omitUndefined({
        model,
        input: input ?? '',
        voice_id: named === '' || openaiVoices.has(named) ? undefined : named,
        ref_audio,
        response_format: audioFormat,
        stream: false,
      }),
      echo: { response_format: audioFormat },
      ...refusalOf(body, { audioFormat, stream }),
    }
  },
  failure: readFailure,
  response(json, { echo }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const bytes = typeof json['audio_data'] === 'string' ? bytesOf(json['audio_data']) : null
    if (bytes === null || bytes.length === 0) return null
    return { bytes, contentType: types[textOr(echo?.['response_format'], 'mp3')] ?? 'audio/mpeg', usage: null }
  },
} satisfies Dialect

const openaiVoices: ReadonlySet<string> = new Set([
  ...['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'fable', 'marin', 'nova', 'onyx', 'sage', 'shimmer', 'verse'],
])

function refusalOf(
  { instructions, speed }: JsonObject,
  { audioFormat, stream }: { readonly audioFormat: string; readonly stream: boolean },
): Pick<Outgoing, 'refused'> {
  if (stream) return { refused: 'stream_format' }
  if (!Object.hasOwn(types, audioFormat)) return { refused: 'response_format' }
  if (typeof speed === 'number' && speed !== 1) return { refused: 'speed' }
  return typeof instructions === 'string' && instructions !== '' ? { refused: 'instructions' } : {}
}
