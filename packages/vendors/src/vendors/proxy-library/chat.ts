import type { ChatDialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { kindOfResponse, messageOr, plainMessage } from '../../core/failure-parts.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { StreamEnd, StreamStep } from '../../core/stream.ts'
import { objectsIn, textOfContent } from '../../protocols/shared/chat-parts.ts'
import { bounded } from '../../protocols/shared/output-cap.ts'

const silent: StreamStep = { chunks: [], text: '', failure: null }

/**
 * AI Proxy, "Library", as songquanpeng/one-api 8df4a26 calls it, read 2026-11-21: one question to a library of documents. Its form has only the
 * question, so it includes earlier messages. Sampling settings have no place; output is cut at the client's limit. It reports no usage.
 */
export const aiProxyLibrary = bounded({
  lacks: ['n', 'logprobs', 'top_logprobs'],
  request(chat, { model, stream, channel }) {
    const refused = notOffered(chat)
    return {
      path: '/api/library/ask',
      headers: noHeaders,
      body: { model, query: questionIn(chat), libraryId: channel.other, stream },
      ...(refused === undefined ? {} : { refused }),
    }
  },
  response(json, context) {
    if (!isObject(json)) return null
    const failure = failureIn(json)
    if (failure !== null) return failure
    const { answer: text, documents } = json
    if (typeof text !== 'string') return null
    const message = { role: 'assistant', content: text + sourcesOf(documents) }
    const { id, created, model } = context
    return {
      response: { id, object: 'chat.completion', created, model, choices: [{ index: 0, message, finish_reason: 'stop' }] },
      usage: null,
    }
  },
  stream: libraryStream,
  failure(status, body) {
    const json = parseJson(body)
    const code = isObject(json) ? codeIn(json) : null
    return failed(kindOfResponse(status, json), messageOr(json, plainMessage(status, body)), code)
  },
} satisfies ChatDialect)

/** Parameters that change the response and that the form cannot hold. */
const others = ['tools', 'functions', 'stop', 'prediction', 'audio']

function notOffered(chat: JsonObject): string | undefined {
  const { response_format: format, messages } = chat
  if (isObject(format) && format['type'] !== 'text') return 'response_format'
  const parts = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
  if (parts.some(({ type }) => type !== 'text')) return 'messages'
  return others.find((name) => isGiven(chat[name]))
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}

/** The text of the last message, after those before it, each with its role. */
function questionIn({ messages }: JsonObject): string {
  const turns = objectsIn(messages).map(({ role, content }) => ({ role: textOr(role, 'user'), text: textOfContent(content) }))
  const question = turns.at(-1)?.text ?? ''
  const before = turns.slice(0, -1).filter(({ text }) => text !== '')
  return [...before.map(({ role, text }) => `${role}: ${text}`), question].join('\n\n')
}

/** Events have pieces of the response and the documents found so far; the one with `finish` is the last. */
function libraryStream({ id, created, model }: ResponseContext) {
  let documents: Json | undefined
  let hasBegun = false
  let complete = false
  const chunk = (delta: JsonObject, reason: string | null): JsonObject => {
    const choice = { index: 0, delta: hasBegun ? delta : { role: 'assistant', ...delta }, finish_reason: reason }
    hasBegun = true
    return { id, object: 'chat.completion.chunk', created, model, choices: [choice] }
  }
  return {
    event(data: string): StreamStep {
      const json = parseJson(data)
      if (!isObject(json)) return silent
      const failure = failureIn(json)
      if (failure !== null) return { ...silent, failure }
      if (Array.isArray(json['documents']) && json['documents'].length > 0) documents = json['documents']
      const content = textOr(json['content'], '')
      complete ||= json['finish'] === true
      const text = complete ? content + sourcesOf(documents) : content
      const piece = text === '' ? [] : [chunk({ content: text }, null)]
      return complete
        ? { chunks: [...piece, chunk({}, 'stop')], text, failure: null, isLast: true }
        : { chunks: piece, text, failure: null }
    },
    end: (): StreamEnd => ({ complete, usage: null }),
  }
}

/** The documents as a list in Markdown. */
function sourcesOf(documents: Json | undefined): string {
  const sources = Array.isArray(documents) ? documents.filter(isObject) : []
  if (sources.length === 0) return ''
  const lines = sources.map(({ title, url }, index) => `${index + 1}. [${textOr(title, textOr(url, ''))}](${textOr(url, '')})`)
  return `\n\n${lines.join('\n')}`
}

function codeIn({ errCode: code }: JsonObject): string | null {
  return typeof code === 'number' && code !== 0 ? String(code) : null
}

/** An error inside a 2xx body; no page says what the codes mean. */
function failureIn(body: JsonObject): Failure | null {
  const code = codeIn(body)
  if (code === null && body['success'] !== false) return null
  return failed('unavailable', messageOr(body, 'the upstream service reported an error'), code)
}

function failed(kind: Failure['kind'], message: string, code: string | null): Failure {
  return { kind, message, type: code, param: null, code }
}
