import { bytesOf } from '../../core/base64-bytes.ts'
import type { Dialect } from '../../core/dialect.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Outgoing } from '../../core/request.ts'
import { wavOf } from '../../core/wav.ts'
import { type AudioChunk, audioInChunks } from '../../protocols/media/audio-chunks.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { errorInside, multimodalPath, outputOf } from './native.ts'

/** Samples of a stream; a whole response would only have an address. */
const samplesPerSecond = 24_000

/** OpenAI's voices -> voices of the vendor; its own names are sent as they are. */
const voices: Readonly<Record<string, string>> = {
  alloy: 'Cherry',
  echo: 'Ethan',
  fable: 'Ryan',
  onyx: 'Elias',
  nova: 'Jennifer',
  shimmer: 'Katerina',
}

/** Alibaba Cloud Model Studio, "Speech synthesis - Qwen", a stored copy read 2026-11-22: pieces of 16-bit samples in a stream. */
export const alibabaSpeech = {
  request(body, { model, stream }) {
    const { input, voice, instructions, language_type } = body
    const named = textOr(voice, 'alloy')
    const text = omitUndefined({ text: input, voice: voices[named] ?? named, language_type, instructions })
    return {
      path: multimodalPath,
      headers: { 'x-dashscope-sse': 'enable', accept: 'text/event-stream' },
      body: { model, input: text },
      ...refusalOf(body, stream),
    }
  },
  failure: readFailure,
  response: (json) => (isObject(json) ? errorInside(json) : null),
  stream: () => audioInChunks(pieceOf, (bytes) => ({ bytes: wavOf(bytes, samplesPerSecond), contentType: 'audio/wav' })),
} satisfies Dialect

function refusalOf({ response_format: format, speed }: JsonObject, isStream: boolean): Pick<Outgoing, 'refused'> {
  if (isStream) return { refused: 'stream_format' }
  if (typeof format === 'string' && format !== 'wav') return { refused: 'response_format' }
  return typeof speed === 'number' && speed !== 1 ? { refused: 'speed' } : {}
}

function pieceOf(event: JsonObject): AudioChunk {
  const output = outputOf(event)
  const audio = output?.['audio']
  const bytes = isObject(audio) && typeof audio['data'] === 'string' ? bytesOf(audio['data']) : null
  return { bytes, isLast: output?.['finish_reason'] === 'stop', failure: errorInside(event) }
}
