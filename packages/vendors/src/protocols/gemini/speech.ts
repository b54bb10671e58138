import { bytesOf } from '../../core/base64-bytes.ts'
import type { Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { BytesResponse, ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { wavOf } from '../../core/wav.ts'
import { errorIn, readFailure } from './failure.ts'
import type { GeminiHost } from './host.ts'
import { usageIn } from './usage.ts'

/** Our choice of a voice for each name that OpenAI's clients send; every other name is the vendor's own. */
const voices: Readonly<Record<string, string>> = {
  alloy: 'Kore',
  ash: 'Charon',
  ballad: 'Algieba',
  cedar: 'Orus',
  coral: 'Aoede',
  echo: 'Puck',
  fable: 'Zephyr',
  marin: 'Leda',
  nova: 'Callirrhoe',
  onyx: 'Fenrir',
  sage: 'Despina',
  shimmer: 'Autonoe',
  verse: 'Umbriel',
}

/** The vendor returns raw samples, which become a WAV file; it makes no compressed audio. */
const forms: ReadonlySet<Json | undefined> = new Set([undefined, null, 'wav', 'pcm'])

/** The field that cannot be served; `null` = none. */
function refusedIn({ response_format: form, speed, stream_format: streamed }: JsonObject): string | null {
  if (!forms.has(form)) return 'response_format'
  if (typeof speed === 'number' && speed !== 1) return 'speed'
  return streamed === 'sse' ? 'stream_format' : null
}

/** Speech by `generateContent` (Gemini API, "Speech generation", stored copies read 2026-11-22). */
export function geminiSpeechAt(host: GeminiHost): Dialect {
  return {
    request(body, target) {
      const { input, instructions, voice, response_format: form } = body
      const named = isObject(voice) ? textOr(voice['id'], '') : textOr(voice, '')
      const text = textOr(instructions, '') === '' ? textOr(input, '') : `${textOr(instructions, '')}:\n${textOr(input, '')}`
      const refused = refusedIn(body)
      return {
        path: host.pathOf(target, 'generateContent'),
        headers: noHeaders,
        body: {
          contents: [{ role: 'user', parts: [{ text }] }],
          generationConfig: {
            responseModalities: ['AUDIO'],
            speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: lookUp(voices, named) ?? (named || 'Kore') } } },
          },
        },
        echo: form === 'pcm' ? { response_format: 'pcm' } : {},
        ...(refused === null ? {} : { refused }),
      }
    },
    response: spoken,
    failure: readFailure,
  }
}

function spoken(json: Json, context: ResponseContext): BytesResponse | Failure | null {
  const failure = errorIn(json)
  if (failure !== null) return failure
  if (!isObject(json)) return null
  const audioParts = partsIn(json)
    .map((part) => part['inlineData'])
    .filter(isObject)
  const type = textOr(audioParts[0]?.['mimeType'], '')
  const pieces = audioParts.map((audioFile) => bytesOf(textOr(audioFile['data'], '')))
  if (pieces.length === 0) return silent(json)
  const bytes = joined(pieces)
  if (bytes === null) return null
  const usage = asAudio(usageIn(json['usageMetadata']))
  if (!/^audio\/(?:l16|pcm)/i.test(type)) return { bytes, contentType: type.split(';')[0] ?? type, usage }
  if (context.echo?.['response_format'] === 'pcm') return { bytes, contentType: 'audio/pcm', usage }
  const rate = Number(/rate=(\d{4,6})/.exec(type)?.[1] ?? defaultRate)
  return { bytes: wavOf(bytes, rate), contentType: 'audio/wav', usage }
}

const defaultRate = 24_000

export function partsIn({ candidates }: JsonObject): readonly JsonObject[] {
  const [candidate] = Array.isArray(candidates) ? candidates.filter(isObject) : []
  const content = candidate?.['content']
  return isObject(content) && Array.isArray(content['parts']) ? content['parts'].filter(isObject) : []
}

/** A response without audio: sometimes the model writes text instead, and a second attempt succeeds. */
function silent(json: JsonObject): Failure | null {
  if (!Array.isArray(json['candidates'])) return null
  return { kind: 'unavailable', message: 'the model returned no audio', type: null, param: null, code: null }
}

function joined(pieces: ReadonlyArray<Uint8Array<ArrayBuffer> | null>): Uint8Array<ArrayBuffer> | null {
  const [first, ...others] = pieces.filter((piece) => piece !== null)
  if (first === undefined || others.length + 1 < pieces.length) return null
  if (others.length === 0) return first
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + (piece?.length ?? 0), 0))
  let at = 0
  for (const piece of [first, ...others]) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Without details, everything that came out is audio. */
function asAudio(usage: Usage | null): Usage | null {
  if (usage === null || usage.audioOutputTokens > 0) return usage
  return { ...usage, audioOutputTokens: usage.completionTokens }
}
