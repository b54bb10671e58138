import type { Dialect } from '../../core/dialect.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { Outgoing } from '../../core/request.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount } from '../../core/usage-count.ts'
import { dataAddress } from '../../protocols/media/uploaded-images.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { writtenText } from '../../protocols/shared/transcript-text.ts'

const formats: ReadonlySet<unknown> = new Set([undefined, null, 'json', 'text'])

/** Alibaba Cloud Model Studio, "Qwen-ASR API reference", a copy of February 2026 read 2026-11-22: a chat whose question is the audio. */
export const alibabaTranscriptions = {
  readsFiles: true,
  request(body, { model, files = [], stream }) {
    const { prompt, language, response_format: format } = body
    const audio = files.find(({ name }) => name === 'file')
    const question = { type: 'input_audio', input_audio: { data: audio === undefined ? '' : dataAddress(audio) } }
    const context = typeof prompt === 'string' && prompt !== '' ? [{ role: 'system', content: [{ text: prompt }] }] : []
    const messages = [...context, { role: 'user', content: [question] }]
    return {
      path: '/v1/chat/completions',
      headers: {},
      body: { model, messages, stream: false, asr_options: omitUndefined({ language, enable_itn: false }) },
      ...(format === 'text' ? { echo: { response_format: format } } : {}),
      ...refusalOf(body, stream),
    }
  },
  failure: readFailure,
  response(json, context) {
    const read = openai.response(json, context)
    if (read === null || 'kind' in read) return read
    const text = textIn(read.response)
    const usage = isObject(json) ? audioUsage(json) : null
    return writtenText(text, context.echo, usage)
  },
} satisfies Dialect

function refusalOf({ response_format: format, timestamp_granularities: marks }: JsonObject, isStream: boolean): Pick<Outgoing, 'refused'> {
  if (!formats.has(format)) return { refused: 'response_format' }
  if (isStream) return { refused: 'stream' }
  return marks === undefined ? {} : { refused: 'timestamp_granularities' }
}

function textIn({ choices }: JsonObject): string {
  const [choice] = Array.isArray(choices) ? choices : []
  const message = isObject(choice) ? choice['message'] : null
  return isObject(message) ? textOr(message['content'], '') : ''
}

/** It is paid by the second. */
function audioUsage({ usage }: JsonObject): Usage | null {
  const seconds = isObject(usage) ? usage['seconds'] : null
  return !isCount(seconds) ? null : { ...noUsage, audioMs: seconds * 1000 }
}
