import type { JsonObject } from '@sluice/vendors/core/json'
import { AppError } from '../../../lib/app-error.ts'
import type { FormRules, KindRules } from '../../model/kind-rules.ts'
import type { RequestParams } from '../../model/request-params.ts'
import { leastDurationMs } from '../../pricing/audio-duration.ts'
import { estimateTokens } from '../../pricing/count-tokens.ts'
import { inputTokens, modelIn, streamIn } from './fields.ts'

/** Content types of audio. A plain byte stream is audio, too, because this endpoint returns nothing else. */
const audioTypes = [
  'audio/mpeg',
  'audio/mp3',
  'audio/ogg',
  'audio/opus',
  'audio/webm',
  'audio/aac',
  'audio/x-aac',
  'audio/flac',
  'audio/x-flac',
  'audio/wav',
  'audio/x-wav',
  'audio/wave',
  'audio/pcm',
  'audio/l16',
  'application/octet-stream',
] as const

/** Content types of transcripts in text or subtitle formats. */
const textTypes = ['text/plain', 'text/vtt', 'text/srt', 'application/x-subrip'] as const

/** OpenAI API reference, "Create speech", read 2026-11-21. Not repeatable, because a second run would be paid again. */
export const speech: KindRules = {
  kind: 'speech',
  isRepeatable: false,
  idPrefix: '',
  plain: new Map(audioTypes.map((type) => [type, 'bytes'])),
  asStream: () => null,
  read(body) {
    const { input, instructions, stream_format: format } = body
    if (typeof input !== 'string' || input === '') throw new AppError('invalid_parameter', { params: { name: 'input' } })
    if (format !== undefined && format !== null && format !== 'sse' && format !== 'audio')
      throw new AppError('invalid_parameter', { params: { name: 'stream_format' } })
    const isInstructed = typeof instructions === 'string' && instructions !== ''
    const promptTokens = estimateTokens(input) + (isInstructed ? estimateTokens(instructions) : 0)
    return {
      model: modelIn(body),
      isStream: format === 'sse',
      wantsUsage: false,
      maxTokens: 0,
      choices: 1,
      promptTokens,
      textPrompt: { tokens: promptTokens, messages: 0 },
      characters: charactersIn(input) + (typeof instructions === 'string' ? charactersIn(instructions) : 0),
      ...(isInstructed ? { isInstructed } : {}),
    }
  },
}

/** Counts code points, not UTF-16 units. */
function charactersIn(text: string): number {
  // Text of one byte each has no others. The runtime counts bytes many times faster than a loop counts characters.
  if (Buffer.byteLength(text) === text.length) return text.length
  let pairs = 0
  for (let index = 1; index < text.length; index++) {
    const isPair = (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800
    if (isPair) pairs += 1
  }
  return text.length - pairs
}

/** The model if the request names none. */
const defaultModel = 'whisper-1'

/** OpenAI API reference, "Create transcription" and "Create translation", read 2026-11-21. */
const writing = {
  isRepeatable: false,
  idPrefix: '',
  plain: new Map(textTypes.map((type) => [type, 'text'] as const)),
  // Older models do not stream, even if requested to.
  asStream: () => null,
  form: { isOnly: true, files: [{ name: /^file$/ }], inspect: audioFileIn },
  read: (body: JsonObject): RequestParams => ({
    model: modelIn({ ...body, model: body['model'] ?? defaultModel }),
    ...streamIn(body),
    maxTokens: null,
    choices: 1,
    promptTokens: typeof body['prompt'] === 'string' && body['prompt'] !== '' ? inputTokens(body, 'prompt') : 0,
  }),
} as const

export const transcriptions: KindRules = { ...writing, kind: 'transcriptions' }
export const translations: KindRules = { ...writing, kind: 'translations' }

function audioFileIn({ parts }: Parameters<FormRules['inspect']>[0]): Partial<RequestParams> {
  const file = parts.find(({ name, fileName }) => name === 'file' && fileName !== null)
  if (file === undefined) throw new AppError('invalid_parameter', { params: { name: 'file' } })
  return { audioMs: leastDurationMs(file.byteLength), unmeasured: { images: [], audio: [], documents: [], file } }
}
