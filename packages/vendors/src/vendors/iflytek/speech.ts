import { bytesOf } from '../../core/base64-bytes.ts'
import type { Dialect } from '../../core/dialect.ts'
import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { wavOf } from '../../core/wav.ts'
import { type AudioChunk, audioInChunks } from '../../protocols/media/audio-chunks.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { failureIn } from './header-failure.ts'
import { appIdOf, speechAddress } from './hosts.ts'

const samplesPerSecond = 24_000
const textBytesMax = 65_536

/** OpenAI's voices -> those that every account has; the vendor's own names are sent as they are. */
const voices: Readonly<Record<string, string>> = {
  alloy: 'x5_lingxiaoxuan_flow',
  echo: 'x5_lingfeiyi_flow',
  fable: 'x5_lingyuzhao_flow',
  onyx: 'x5_lingfeiyi_flow',
  nova: 'x5_lingxiaoyue_flow',
  shimmer: 'x5_lingyuyan_flow',
}

/** OpenAI's formats -> the vendor's encodings. Opus would come as packets without a container. */
const encodings: Readonly<Record<string, string>> = { mp3: 'lame', wav: 'raw', pcm: 'raw' }

/**
 * xfyun.cn, "Super-natural speech" (spark/super smart-tts), a stored copy read 2026-11-28: a request message, then audio chunks.
 * The service is named by the address, so the name of the model is not sent. Each character counts, which is counted here.
 */
export const iflytekSpeech = {
  request(body, { channel, stream }) {
    const format = formatOf(body)
    const frame = frameOf(body, appIdOf(channel), encodings[format] ?? 'lame')
    const refused = stream ? 'stream_format' : refusedIn(body, format)
    return {
      path: speechAddress(channel),
      headers: {},
      body: frame,
      messages: [JSON.stringify(frame)],
      echo: { response_format: format },
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  // The audio comes in messages only; what is JSON is a refusal.
  response: (json) => (isObject(json) ? failureIn(json) : null),
  stream: ({ echo }) =>
    audioInChunks(pieceOf, (bytes) => {
      const format = textOr(echo?.['response_format'], 'mp3')
      if (format === 'wav') return { bytes: wavOf(bytes, samplesPerSecond), contentType: 'audio/wav' }
      return { bytes, contentType: format === 'pcm' ? 'audio/pcm' : 'audio/mpeg' }
    }),
} satisfies Dialect

const formatOf = (body: JsonObject): string => textOr(body['response_format'], '') || 'mp3'

function frameOf(body: JsonObject, appId: string, encoding: string): JsonObject {
  const named = textOr(body['voice'], 'alloy')
  const audio = { encoding, sample_rate: samplesPerSecond, channels: 1, bit_depth: 16, frame_size: 0 }
  const text = { encoding: 'utf8', compress: 'raw', format: 'plain', status: 2, seq: 0, text: textOr(body['input'], '') }
  return {
    header: { app_id: appId, status: 2 },
    parameter: { tts: { vcn: voices[named] ?? named, speed: paceOf(body['speed']), audio } },
    payload: { text },
  }
}

/** 0 is half the usual pace, 50 the usual one, and 100 twice that. */
function paceOf(speed: Json | undefined): number {
  const pace = typeof speed === 'number' ? speed : 1
  return Math.round(pace < 1 ? (pace - 0.5) * 100 : pace * 50)
}

function refusedIn({ input, speed, instructions }: JsonObject, format: string): string | null {
  if (encodings[format] === undefined) return 'response_format'
  if (typeof speed === 'number' && (speed < 0.5 || speed > 2)) return 'speed'
  if (isGiven(instructions) && instructions !== '') return 'instructions'
  return new TextEncoder().encode(textOr(input, '')).length > textBytesMax ? 'input' : null
}

function pieceOf(event: JsonObject): AudioChunk {
  const { header, payload } = event
  const audio = isObject(payload) ? payload['audio'] : undefined
  const bytes = isObject(audio) && typeof audio['audio'] === 'string' ? bytesOf(audio['audio']) : null
  return { bytes, isLast: isObject(header) && header['status'] === 2, failure: failureIn(event) }
}
