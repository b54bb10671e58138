import type { Dialect } from '../../core/dialect.ts'
import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { multipart } from '../../core/multipart.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { UploadedFile } from '../../core/request.ts'
import type { BytesResponse } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { objectsIn, omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'
import { plainText, writtenText } from '../../protocols/shared/transcript-text.ts'

/** OpenAI's formats -> the vendor's. Subtitles are written here, of the parts of a verbose response. */
const formats: Readonly<Record<string, string>> = {
  ...{ json: 'json', text: 'json' },
  ...{ verbose_json: 'verbose_json', srt: 'verbose_json', vtt: 'verbose_json' },
}

/** platform.minimax.io, "Speech to Text" and its guide, stored copies read 2026-11-28: a form, and the language in a header. */
export const minimaxTranscriptions = {
  readsFiles: true,
  request(body, { model, files = [], stream }) {
    const audio = files.find(({ name }) => name === 'file')
    const format = formatOf(body)
    const refused = stream ? 'stream' : refusedIn(body, format)
    const { headers, body: bytes } = formOf(audio ?? noAudio, { model, format: formats[format] ?? 'json' })
    const language = textOr(body['language'], '')
    return {
      path: '/v1/speech_to_text',
      headers: { ...headers, ...(language === '' ? {} : { language }) },
      body: {},
      bytes,
      echo: { response_format: format },
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  response(json, { echo }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { text } = json
    if (typeof text !== 'string') return null
    const format = textOr(echo?.['response_format'], 'json')
    const usage = usageIn(json)
    if (format === 'srt' || format === 'vtt') return subtitles(objectsIn(json['segments']), format, usage)
    return format === 'verbose_json' ? { response: verbose(json, text), usage } : writtenText(text, echo, usage)
  },
} satisfies Dialect

const noAudio: UploadedFile = { name: 'file', fileName: '', contentType: '', bytes: new Uint8Array() }

const formatOf = (body: JsonObject): string => textOr(body['response_format'], '') || 'json'

/** A language as ISO 639 or BCP 47 names it: it becomes a header. */
const languageShape = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,8}$/i

function refusedIn({ prompt, language, timestamp_granularities: marks }: JsonObject, format: string): string | null {
  if (formats[format] === undefined) return 'response_format'
  if (isGiven(language) && language !== '' && !languageShape.test(textOr(language, ''))) return 'language'
  if (isGiven(prompt) && prompt !== '') return 'prompt'
  const isOfSegments = !isGiven(marks) || (Array.isArray(marks) ? marks : [marks]).every((mark) => mark === 'segment')
  return isOfSegments ? null : 'timestamp_granularities'
}

function formOf({ fileName, contentType, bytes }: UploadedFile, { model, format }: { readonly model: string; readonly format: string }) {
  const fields = Object.entries({ model, response_format: format, stream: 'false' }).map(([name, text]) => ({ name, text }))
  return multipart([...fields, { name: 'file', fileName: fileName || 'sound', contentType, bytes }], unusedKey(bytes))
}

/** A key that the file does not contain. A file of any length has fewer of these keys than there are numbers of eight digits. */
function unusedKey(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes)
  if (!text.includes('sound-')) return 'sound-0'
  const used = new Set([...text.matchAll(/sound-(\d{8})/g)].map(([, digits]) => digits))
  let number = 0
  while (used.has(digitsOf(number))) number += 1
  return `sound-${digitsOf(number)}`
}

const digitsOf = (number: number): string => String(number).padStart(8, '0')

function usageIn({ duration }: JsonObject): Usage | null {
  return typeof duration === 'number' && duration > 0 ? { ...noUsage, audioMs: Math.ceil(duration * 1000) } : null
}

function verbose({ duration, segments, n_speakers }: JsonObject, text: string): JsonObject {
  const parts = objectsIn(segments).map((part, index) =>
    omitUndefined({ id: index, start: part['start'], end: part['end'], text: part['text'], speaker: part['speaker'] }),
  )
  return omitUndefined({ task: 'transcribe', duration, text, segments: parts, n_speakers })
}

function subtitles(parts: readonly JsonObject[], format: 'srt' | 'vtt', usage: Usage | null): BytesResponse {
  const mark = format === 'srt' ? ',' : '.'
  const lines = parts.map(({ start, end, text }, index) => {
    const number = format === 'srt' ? `${index + 1}\n` : ''
    return `${number}${timeOf(start, mark)} --> ${timeOf(end, mark)}\n${textOr(text, '').trim()}\n\n`
  })
  return plainText(`${format === 'vtt' ? 'WEBVTT\n\n' : ''}${lines.join('')}`, format === 'vtt' ? 'text/vtt' : 'text/plain', usage)
}

/** `00:01:02,345` for 62.345 seconds. */
function timeOf(seconds: Json | undefined, mark: string): string {
  const ms = typeof seconds === 'number' && seconds > 0 ? Math.round(seconds * 1000) : 0
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${mark}${String(ms % 1000).padStart(3, '0')}`
}
