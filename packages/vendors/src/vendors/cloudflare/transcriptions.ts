import { base64 } from '../../core/crypto-functions.ts'
import type { Dialect } from '../../core/dialect.ts'
import { asNumber, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { Outgoing, Target, UploadedFile } from '../../core/request.ts'
import type { Usage } from '../../core/usage.ts'
import { at } from '../../core/vendor-query.ts'
import { objectsIn, omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { plainText } from '../../protocols/shared/transcript-text.ts'
import { isFailure, resultOf, runAddress } from './run.ts'

const formats: ReadonlySet<string> = new Set(['json', 'text', 'verbose_json', 'vtt'])

/**
 * Workers AI, the pages of whisper, whisper-large-v3-turbo and nova-3, stored copies read 2026-11-23: the turbo model takes base64 in JSON,
 * the others the file itself.
 */
export const cloudflareTranscriptions = {
  readsFiles: true,
  request: (body, target) => outgoingOf(body, target, 'transcribe'),
  failure: readFailure,
  response(json, { echo }) {
    const result = resultOf(json)
    if (result === null || isFailure(result)) return result
    const text = textIn(result)
    if (text === null) return null
    const usage = audioUsage(result)
    const format = textOr(echo?.['response_format'], 'json')
    if (format === 'text') return plainText(text, 'text/plain', usage)
    if (format === 'vtt') return plainText(textOr(result['vtt'], ''), 'text/vtt', usage)
    return { response: format === 'verbose_json' ? verbose(result, text) : { text }, usage }
  },
} satisfies Dialect

/** The turbo model can also translate into English. */
export const cloudflareTranslations = {
  ...cloudflareTranscriptions,
  request: (body, target) => outgoingOf(body, target, 'translate'),
} satisfies Dialect

const isTurbo = (model: string): boolean => model.endsWith('/whisper-large-v3-turbo')
const isNova = (model: string): boolean => model.includes('/deepgram/')

function outgoingOf(body: JsonObject, target: Target, task: 'transcribe' | 'translate'): Outgoing {
  const { model, channel, files = [] } = target
  const audio = files.find(({ name }) => name === 'file')
  const format = textOr(body['response_format'], 'json')
  const refused = refusedIn(body, target, format)
  const { language, prompt } = body
  const address = runAddress(model, channel)
  const query = isNova(model) ? `?${novaQuery(body)}` : ''
  const payload = isTurbo(model)
    ? { headers: {}, body: omitUndefined({ audio: base64(audio?.bytes ?? nothing), task, language, initial_prompt: prompt }) }
    : { headers: { 'content-type': typeOf(audio) }, body: {}, bytes: audio?.bytes ?? nothing }
  return { path: address + query, ...payload, echo: { response_format: format }, ...(refused === null ? {} : { refused }) }
}

const nothing = new Uint8Array()

const typeOf = (audio: UploadedFile | undefined): string => audio?.contentType ?? 'application/octet-stream'

/** Without a language, the model finds it. */
function novaQuery({ language }: JsonObject): string {
  const named = textOr(language, '')
  return new URLSearchParams({ punctuate: 'true', ...(named === '' ? { detect_language: 'true' } : { language: named }) }).toString()
}

function refusedIn({ prompt, language, temperature }: JsonObject, { model, stream }: Target, format: string): string | null {
  if (stream) return 'stream'
  if (!formats.has(format) || (format === 'vtt' && isNova(model))) return 'response_format'
  if (isTurbo(model)) return isSet(temperature) ? 'temperature' : null
  if (isSet(prompt)) return 'prompt'
  return isSet(language) && !isNova(model) ? 'language' : null
}

/** A field of a form is text, also a number. */
const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== '' && asNumber(value) !== 0

/** Whisper's text, or the first alternative of Deepgram's first channel. */
function textIn(result: JsonObject): string | null {
  if (typeof result['text'] === 'string') return result['text']
  const text = alternativeIn(result)?.['transcript']
  return typeof text === 'string' ? text : null
}

function alternativeIn(result: JsonObject): JsonObject | undefined {
  const [channel] = objectsIn(at(result, 'results', 'channels'))
  return objectsIn(channel?.['alternatives'])[0]
}

/** The turbo model reports the length of the audio, and Deepgram's model in its metadata. */
function secondsIn(result: JsonObject): number | null {
  const seconds = at(result, 'transcription_info', 'duration') ?? at(result, 'metadata', 'duration')
  return typeof seconds === 'number' && seconds > 0 ? seconds : null
}

function audioUsage(result: JsonObject): Usage | null {
  const seconds = secondsIn(result)
  return seconds === null ? null : { ...noUsage, audioMs: Math.ceil(seconds * 1000) }
}

function verbose(result: JsonObject, text: string): JsonObject {
  const { transcription_info: info } = result
  const segments = objectsIn(result['segments'])
  const words = segments.length > 0 ? segments.flatMap((part) => objectsIn(part['words'])) : wordsIn(result)
  return omitUndefined({
    task: 'transcribe',
    language: isObject(info) ? info['language'] : undefined,
    duration: secondsIn(result),
    text,
    segments: segments.map(({ words: _words, ...segment }, id) => ({ id, ...segment })),
    words: words.map(({ word, start, end }) => ({ word: word ?? '', start: start ?? 0, end: end ?? 0 })),
  })
}

function wordsIn(result: JsonObject): readonly JsonObject[] {
  return objectsIn(result['words'] ?? alternativeIn(result)?.['words'])
}
