import type { ChatDialect } from '../../core/dialect.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import type { Usage } from '../../core/usage.ts'
import { stopsIn } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { type Piece, type ResponseReader, readingBy } from '../../protocols/shared/response-reader.ts'

/** Languages whose plain code is no target, or is only kept for old clients ("Translate text", a stored copy read 2026-11-22). */
const targets: Readonly<Record<string, string>> = { EN: 'EN-US', PT: 'PT-BR' }

/** The language of `deepl-zh`; Chinese where a model names none. */
function languageOf(model: string): string {
  const code = /^deepl-([a-z]{2,3}(?:-[a-z]{2,4})?)$/i.exec(model)?.[1]?.toUpperCase() ?? 'ZH'
  return lookUp(targets, code) ?? code
}

/** Members of the vendor's form that a client may send. */
const ownFields = ['source_lang', 'formality', 'glossary_id', 'model_type', 'preserve_formatting', 'tag_handling'] as const

/** `null` = something other than text. */
function textOf(content: Json | undefined): string | null {
  if (!Array.isArray(content)) return textOr(content, '')
  const texts = content.filter(isObject).map(({ type, text }) => (type === 'text' ? textOr(text, '') : null))
  return texts.includes(null) ? null : texts.join('\n')
}

function toDeepl(chat: JsonObject, { model }: Target): Outgoing {
  const messages = (Array.isArray(chat['messages']) ? chat['messages'] : []).filter(isObject)
  const text = textOf(messages.at(-1)?.['content'])
  const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'
  const context = messages
    .slice(0, -1)
    .filter(isSystem)
    .map(({ content }) => textOf(content) ?? '')
    .join('\n')
  const refused = text === null ? 'messages' : refusedIn(chat)
  return {
    path: '/v2/translate',
    headers: noHeaders,
    body: {
      text: [text ?? ''],
      target_lang: languageOf(model),
      ...(context === '' ? {} : { context }),
      ...Object.fromEntries(ownFields.flatMap((name) => (chat[name] === undefined ? [] : [[name, chat[name]]]))),
    },
    // The vendor reports no usage: it bills the characters of the text.
    echo: { characters: Array.from(text ?? '').length },
    ...(refused === null ? {} : { refused }),
  }
}

/** A translation calls no tools, has no schema and ends where it ends. */
function refusedIn({ tools, functions, response_format: format, stop }: JsonObject): string | null {
  if (Array.isArray(tools) && tools.length > 0) return 'tools'
  if (Array.isArray(functions) && functions.length > 0) return 'functions'
  if (stopsIn(stop).length > 0) return 'stop'
  return isObject(format) && format['type'] !== 'text' ? 'response_format' : null
}

/** A response without output would count as wrong, so one of the characters stands for it: input and output cost the same. */
function usageOf(characters: Json | undefined): Usage | null {
  return typeof characters === 'number' && characters > 0 ? { ...noUsage, promptTokens: characters - 1, completionTokens: 1 } : null
}

export const deepl: ChatDialect = {
  request: toDeepl,
  ...readingBy<JsonObject>({
    create: ({ echo }): ResponseReader<JsonObject> => {
      let isDone = false
      const characters = echo?.['characters']
      return {
        take({ text }): Piece {
          isDone = true
          return { deltas: [{ content: textOr(text, '') }], text: textOr(text, ''), finish: 'stop', isLast: true }
        },
        end: () => ({
          complete: isDone,
          usage: usageOf(characters),
        }),
      }
    },
    partOf(data) {
      const json = parseJson(data)
      return isObject(json) ? json : null
    },
    partsOf(json) {
      const [first] = isObject(json) && Array.isArray(json['translations']) ? json['translations'] : []
      return isObject(first) && typeof first['text'] === 'string' ? [first] : null
    },
  }),
  failure: readFailure,
  lacks: ['n', 'logprobs', 'top_logprobs'],
}
