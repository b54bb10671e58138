import { base64 } from '../../core/crypto-functions.ts'
import type { Dialect } from '../../core/dialect.ts'
import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { UploadedFile } from '../../core/request.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'
import { refusedOfText, writtenText } from '../../protocols/shared/transcript-text.ts'

/** Names of `POST /v3/glm-asr`; the request itself names no model. */
export const hearsAtNovita = (model: string): boolean => /^(?:zai-org\/)?glm-asr(?:-2512)?$/.test(model)

/** Types of the two formats that it takes. */
const formats = /^audio\/(?:x-|vnd\.)?(?:wav|wave|mp3|mpeg)$|\.(?:wav|mp3)$/i

/** novita.ai/docs, "GLM Audio to Text", a stored copy read 2026-11-28: the file as base64, of at most thirty seconds; the text without marks of time. */
export const novitaTranscriptions = {
  readsFiles: true,
  request(body, { files = [], stream, channel }) {
    const audioFile = files.find(({ name }) => name === 'file')
    const refused = stream ? 'stream' : refusedIn(body, audioFile)
    const origin = URL.parse(channel.baseUrl)?.origin ?? channel.baseUrl
    return {
      path: `${origin}/v3/glm-asr`,
      headers: {},
      body: omitUndefined({ file: base64(audioFile?.bytes ?? new Uint8Array()), prompt: body['prompt'], hotwords: body['hotwords'] }),
      echo: { response_format: textOr(body['response_format'], 'json') },
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
    return writtenText(text, echo, null)
  },
} satisfies Dialect

function refusedIn(body: JsonObject, audioFile: UploadedFile | undefined): string | null {
  const { language } = body
  const refused = refusedOfText(body)
  if (refused !== null) return refused
  if (isGiven(language) && language !== '') return 'language'
  return audioFile === undefined || formats.test(audioFile.contentType) || formats.test(audioFile.fileName) ? null : 'file'
}
