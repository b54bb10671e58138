import { bytesOf } from '../../core/base64-bytes.ts'
import { base64 } from '../../core/crypto-functions.ts'
import type { Dialect } from '../../core/dialect.ts'
import { isGiven, isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { UploadedFile } from '../../core/request.ts'
import type { ChatStream } from '../../core/stream.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { refusedOfText, writtenText } from '../../protocols/shared/transcript-text.ts'
import { failureIn } from './header-failure.ts'
import { appIdOf, transcriptAddress } from './hosts.ts'
import { type PlainAudio, plainAudioOf } from './plain-audio.ts'

const secondsMax = 60

/** A piece of the audio, and how long the vendor wants us to wait for the next one. */
const pieceBytes = 1_280
const pieceMs = 40

/** The longest pause in the audio that does not end the transcript, in milliseconds. */
const pauseMs = 10_000

/** Languages of the model, which detects them itself. */
const languages = /^(?:zh|en)(?:-[a-z0-9]{1,8}){0,8}$/i

/**
 * xfyun.cn, "Recognition of Chinese and English by a large model" (spark/spark_zh_iat), a stored copy read 2026-11-28: messages with pieces of
 * the audio, at the pace at which it is spoken, and messages with pieces of the text. The service is named by the address, so the name of the
 * model is not sent. The vendor reports no seconds, so they are counted here.
 */
export const iflytekTranscriptions = {
  readsFiles: true,
  request(body, { channel, files = [], stream }) {
    const audioFile = audioIn(files)
    const refused = stream ? 'stream' : refusedIn(body, audioFile)
    return {
      path: transcriptAddress(channel),
      headers: {},
      body: {},
      messages: audioFile === null ? [] : messagesOf(audioFile, appIdOf(channel)),
      messageEveryMs: pieceMs,
      echo: { response_format: textOr(body['response_format'], 'json') },
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  // The text comes in messages only; what is JSON is a refusal.
  response: (json) => (isObject(json) ? failureIn(json) : null),
  stream: ({ echo }) => writtenInPieces(echo),
} satisfies Dialect

function audioIn(files: readonly UploadedFile[]): PlainAudio | null {
  const file = files.find(({ name }) => name === 'file')
  return file === undefined ? null : plainAudioOf(file.bytes)
}

function refusedIn(body: JsonObject, audioFile: PlainAudio | null): string | null {
  const { language, prompt } = body
  const refused = refusedOfText(body)
  if (refused !== null) return refused
  if (isGiven(language) && language !== '' && !languages.test(textOr(language, ''))) return 'language'
  if (isGiven(prompt) && prompt !== '') return 'prompt'
  return audioFile === null || audioFile.seconds > secondsMax ? 'file' : null
}

/** The first message has the settings, the last one no audio. */
function messagesOf({ encoding, samplesPerSecond, bytes }: PlainAudio, appId: string): readonly string[] {
  const iat = {
    ...{ domain: 'slm', language: 'zh_cn', accent: 'mandarin', eos: pauseMs },
    result: { encoding: 'utf8', compress: 'raw', format: 'json' },
  }
  const count = Math.ceil(bytes.length / pieceBytes)
  return Array.from({ length: count + 1 }, (_, index) => {
    const status = index === count ? 2 : index === 0 ? 0 : 1
    const piece = base64(bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes))
    const audio = { encoding, sample_rate: samplesPerSecond, channels: 1, bit_depth: 16, seq: index + 1, status, audio: piece }
    return JSON.stringify({ header: { app_id: appId, status }, ...(index === 0 && { parameter: { iat } }), payload: { audio } })
  })
}

/** Pieces of text, each with its number. */
function writtenInPieces(echo: JsonObject | undefined): ChatStream {
  const pieces = new Map<number, string>()
  let complete = false
  const whole = (): string => [...pieces].sort(([one], [other]) => one - other).reduce((text, [, piece]) => text + piece, '')
  return {
    event(data) {
      const json = parseJson(data)
      if (!isObject(json)) return { chunks: [], text: '', failure: null }
      const { header, payload } = json
      const { number, text } = pieceIn(isObject(payload) ? payload['result'] : undefined)
      if (text !== '') pieces.set(number, text)
      const isLast = isObject(header) && header['status'] === 2
      complete ||= isLast
      return { chunks: [], text, failure: failureIn(json), isLast }
    },
    end: () => ({ complete, usage: null }),
    // A file without a word has an empty transcript.
    whole: () => (complete ? writtenText(whole(), echo, null) : null),
  }
}

/** The text is JSON, in base64, with candidates of each word, of which the first is the best. */
function pieceIn(result: unknown): { readonly number: number; readonly text: string } {
  const packed = isObject(result) ? bytesOf(textOr(result['text'], '')) : null
  const json = packed === null ? null : parseJson(new TextDecoder().decode(packed))
  if (!isObject(json)) return { number: 0, text: '' }
  const words = objectsIn(json['ws']).map(({ cw }) => textOr(objectsIn(cw)[0]?.['w'], ''))
  return { number: typeof json['sn'] === 'number' ? json['sn'] : 0, text: words.join('') }
}
