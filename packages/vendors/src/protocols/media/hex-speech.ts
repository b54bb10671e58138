import { bytesOfHex } from '../../core/crypto-functions.ts'
import { textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Outgoing } from '../../core/request.ts'
import type { BytesResponse } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { omitUndefined } from '../shared/chat-parts.ts'

// Speech in the form "T2A v2", which several vendors share: the audio comes as hexadecimal digits.

/** OpenAI's voices -> voices of these models; their own names are sent as they are. */
const voices: Readonly<Record<string, string>> = {
  alloy: 'female-chengshu',
  echo: 'male-qn-qingse',
  fable: 'male-qn-jingying',
  onyx: 'presenter_male',
  nova: 'presenter_female',
  shimmer: 'audiobook_female_1',
}

/** Formats that both have. */
const types: Readonly<Record<string, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav', flac: 'audio/flac', pcm: 'audio/pcm' }

/** The request for a text, without the name of its model, and what its response needs. */
export function hexSpeechOf(body: JsonObject, stream: boolean): Pick<Outgoing, 'body' | 'echo' | 'refused'> {
  const { input, voice, speed, response_format: format } = body
  const audioFormat = textOr(format, 'mp3')
  const named = textOr(voice, 'alloy')
  const voiceSetting = omitUndefined({
    voice_id: voices[named] ?? named,
    speed: typeof speed === 'number' ? Math.min(2, Math.max(0.5, speed)) : 1,
  })
  return {
    body: {
      text: input ?? '',
      stream: false,
      output_format: 'hex',
      voice_setting: voiceSetting,
      audio_setting: { format: audioFormat },
    },
    echo: { response_format: audioFormat },
    ...refusalOf(body, { audioFormat, stream }),
  }
}

function refusalOf(
  { instructions }: JsonObject,
  { audioFormat, stream }: { readonly audioFormat: string; readonly stream: boolean },
): Pick<Outgoing, 'refused'> {
  if (stream) return { refused: 'stream_format' }
  if (!Object.hasOwn(types, audioFormat)) return { refused: 'response_format' }
  return typeof instructions === 'string' && instructions !== '' ? { refused: 'instructions' } : {}
}

/** The audio of a response; `null` = it has none. */
export function hexSpeechIn(audio: Json | undefined, echo: JsonObject | undefined, usage: Usage | null): BytesResponse | null {
  const bytes = typeof audio === 'string' ? bytesOfHex(audio) : null
  if (bytes === null || bytes.length === 0) return null
  return { bytes, contentType: types[textOr(echo?.['response_format'], 'mp3')] ?? 'audio/mpeg', usage }
}
