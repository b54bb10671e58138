import { given } from '../chat-parts.ts'
import { isCount } from '../count.ts'
import { bytesOfHex } from '../crypto-functions.ts'
import type { Dialect, Outgoing } from '../dialect.ts'
import { isObject, textOr } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import { noUsage } from '../no-usage.ts'
import { errorIn, readFailure } from '../openai/failure.ts'

/** OpenAI's voices -> voices of the vendor; its own names are sent as they are. */
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

/** platform.minimaxi.com, "T2A v2", a stored copy read 2026-11-22: the sound comes as hexadecimal digits. */
export const minimaxSpeech = {
  request(body, { model, stream }) {
    const { input, voice, speed, response_format: format } = body
    const asked = textOr(format, 'mp3')
    const named = textOr(voice, 'alloy')
    const voiceSetting = given({
      voice_id: voices[named] ?? named,
      speed: typeof speed === 'number' ? Math.min(2, Math.max(0.5, speed)) : 1,
    })
    return {
      path: '/v1/t2a_v2',
      headers: {},
      body: {
        model,
        text: input ?? '',
        stream: false,
        output_format: 'hex',
        voice_setting: voiceSetting,
        audio_setting: { format: asked },
      },
      echo: { response_format: asked },
      ...refusalOf(body, { asked, stream }),
    }
  },
  failure: readFailure,
  reply(json, { echo }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { data, extra_info: info } = json
    const bytes = isObject(data) && typeof data['audio'] === 'string' ? bytesOfHex(data['audio']) : null
    if (bytes === null || bytes.length === 0) return null
    const counted = isObject(info) ? info['usage_characters'] : null
    const usage = isCount(counted) ? { ...noUsage, characters: counted } : null
    return { bytes, contentType: types[textOr(echo?.['response_format'], 'mp3')] ?? 'audio/mpeg', usage }
  },
} satisfies Dialect

function refusalOf(
  { instructions }: JsonObject,
  { asked, stream }: { readonly asked: string; readonly stream: boolean },
): Pick<Outgoing, 'refused'> {
  if (stream) return { refused: 'stream_format' }
  if (!Object.hasOwn(types, asked)) return { refused: 'response_format' }
  return typeof instructions === 'string' && instructions !== '' ? { refused: 'instructions' } : {}
}
