import { isGiven, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'

// GLM-TTS (docs.bigmodel.cn, "GLM-TTS", a stored copy read 2026-11-28), in the form that other vendors of it share. It has seven voices and no packed formats.

/** OpenAI's voices -> the vendor's; its own names are sent as they are. */
const voices: Readonly<Record<string, string>> = {
  alloy: 'tongtong',
  echo: 'xiaochen',
  fable: 'jam',
  onyx: 'chuichui',
  nova: 'kazi',
  shimmer: 'douji',
}

/** The requested speech, in the vendor's names. */
export function glmSpeech(body: JsonObject): JsonObject {
  const named = textOr(body['voice'], 'alloy')
  return { ...body, voice: voices[named] ?? named, response_format: body['response_format'] ?? 'wav' }
}

/** The field that it cannot fulfil. */
export function glmSpeechRefused({ response_format: format, instructions }: JsonObject): string | null {
  if (isGiven(format) && format !== 'wav' && format !== 'pcm') return 'response_format'
  return isGiven(instructions) && instructions !== '' ? 'instructions' : null
}
