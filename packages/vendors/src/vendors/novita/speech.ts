import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import { hexSpeechIn, hexSpeechOf } from '../../protocols/media/hex-speech.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'

/** Models with a call of their own that responds at once. */
const speakers = /^[a-z]+-speech-[\w.-]+$/

/** Whether a model speaks here. */
export function speaksAtNovita(model: string): boolean {
  return speakers.test(model) && !model.endsWith('-async')
}

/**
 * novita.ai/docs, the pages "Speech-02-turbo Sync" and "Speech 2.8 Turbo Sync Text-to-Speech", read 2026-11-27: the path names the model, and the
 * audio comes beside nothing else, so the characters are counted here.
 */
export const novitaSpeech = {
  request(body, { model, stream, channel }) {
    const origin = URL.parse(channel.baseUrl)?.origin ?? channel.baseUrl
    return { path: `${origin}/v3/${encodeURIComponent(model)}`, headers: {}, ...hexSpeechOf(body, stream) }
  },
  failure: readFailure,
  response(json, { echo }) {
    if (!isObject(json)) return null
    return errorIn(json) ?? hexSpeechIn(json['audio'], echo, null)
  },
} satisfies Dialect
