import { bytesOf } from '../../core/base64-bytes.ts'
import type { Dialect } from '../../core/dialect.ts'
import { lookUp, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { isFailure, resultOf, runAddress } from './run.ts'

/** OpenAI's voices -> voices of the models; their own names are sent as they are. */
const voices: Readonly<Record<string, string>> = {
  alloy: 'asteria',
  ash: 'orpheus',
  ballad: 'arcas',
  coral: 'hera',
  echo: 'orion',
  fable: 'arcas',
  nova: 'luna',
  onyx: 'zeus',
  sage: 'athena',
  shimmer: 'athena',
  verse: 'orpheus',
}
const spanish: Readonly<Record<string, string>> = {
  alloy: 'celeste',
  ash: 'javier',
  ballad: 'alvaro',
  coral: 'diana',
  echo: 'nestor',
  fable: 'alvaro',
  nova: 'estrella',
  onyx: 'sirio',
  sage: 'selena',
  shimmer: 'carina',
  verse: 'javier',
}

/** OpenAI's formats -> the encodings of Deepgram's models. */
const encodings: Readonly<Record<string, JsonObject>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { encoding: 'linear16', container: 'wav' },
  pcm: { encoding: 'linear16', container: 'none', sample_rate: 24_000 },
}

/** Workers AI, the pages of aura-1, aura-2-en, aura-2-es and melotts, stored copies read 2026-11-23: they respond with the bytes, or base64. */
export const cloudflareSpeech = {
  request(body, { model, channel, stream }) {
    const isMelo = model.endsWith('/melotts')
    const format = textOr(body['response_format'], '') || 'mp3'
    const refused = stream ? 'stream_format' : refusedIn(body, format, isMelo)
    return {
      path: runAddress(model, channel),
      headers: {},
      body: isMelo ? { prompt: body['input'] ?? '', lang: languageIn(body) } : toAura(body, model, format),
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  response(json) {
    const result = resultOf(json)
    if (result === null || isFailure(result)) return result
    const bytes = bytesOf(textOr(result['audio'], ''))
    return bytes === null || bytes.length === 0 ? null : { bytes, contentType: 'audio/mpeg', usage: null }
  },
} satisfies Dialect

function toAura({ input, voice }: JsonObject, model: string, format: string): JsonObject {
  const named = textOr(voice, 'alloy')
  const speaker = lookUp(model.endsWith('-es') ? spanish : voices, named) ?? named
  return omitUndefined({ text: input ?? '', speaker, ...lookUp(encodings, format) })
}

/** The model has a voice for each language and no others, so a voice may name its language. */
function languageIn({ voice, language }: JsonObject): string {
  const named = textOr(language, '') || textOr(voice, '')
  return /^[a-z]{2}$/i.test(named) ? named.toLowerCase() : 'en'
}

function refusedIn({ speed, instructions }: JsonObject, format: string, isMelo: boolean): string | null {
  if (isMelo ? format !== 'mp3' : lookUp(encodings, format) === undefined) return 'response_format'
  if (typeof speed === 'number' && speed !== 1) return 'speed'
  return typeof instructions === 'string' && instructions !== '' ? 'instructions' : null
}
