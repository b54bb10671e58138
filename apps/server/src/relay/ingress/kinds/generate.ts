import { isObject, textOr } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { countedRequest, listMember, member, objectMember, twiceNamed } from '@sluice/vendors/protocols/shared/proto-members'
import { AppError } from '../../../lib/app-error.ts'
import type { KindRules } from '../../model/kind-rules.ts'
import type { RequestParams } from '../../model/request-params.ts'
import { estimateTokens, messageTokens } from '../../pricing/count-tokens.ts'
import { PromptMedia } from '../../pricing/prompt-media.ts'
import { geminiProtocol } from '../../wire/protocols/gemini.ts'
import { imageLineBytesMax } from '../../wire/sse.ts'
import { eventText } from '../../wire/stream-views.ts'
import { choicesMax } from './chat.ts'
import { needFewEntries } from './entries.ts'
import { countIn, modelIn, tokenLimitIn } from './fields.ts'
import { needSmallInnerJson } from './inner-json.ts'
import type { Countable } from './messages.ts'

/** Google's Gemini API, "generateContent", a stored copy read 2026-11-22. The path names the model, and whether the response is a stream. */
function rulesFor(isStream: boolean): KindRules {
  return {
    kind: 'generate',
    protocol: geminiProtocol,
    isAlwaysStreamed: true,
    lineBytesMax: imageLineBytesMax,
    isRepeatable: true,
    idPrefix: 'resp_',
    asStream: (response) => (isObject(response) ? eventText(response) : ''),
    read(body, path) {
      needFewEntries(body)
      needSmallInnerJson(body)
      const config = objectMember(body, 'generationConfig')
      const twice = twiceNamed(body) ?? twiceNamed(config)
      const odd = twice ?? strangeIn(body, 'contents') ?? strangeIn(body, 'systemInstruction')
      if (odd !== null) throw new AppError('invalid_parameter', { params: { name: odd } })
      const model = modelIn({ model: withoutPrefix(path['model'] ?? '') })
      const media = new PromptMedia(model)
      return {
        ...promptOf(body, media),
        ...media.params,
        ...searchOf(body),
        model,
        isStream,
        wantsUsage: true,
        ...(isObject(member(config, 'thinkingConfig')) ? { mayHideOutput: true } : {}),
        maxTokens: tokenLimitIn(
          { 'generationConfig.maxOutputTokens': member(config, 'maxOutputTokens') ?? null },
          'generationConfig.maxOutputTokens',
        ),
        choices:
          countIn(
            { 'generationConfig.candidateCount': member(config, 'candidateCount') ?? null },
            'generationConfig.candidateCount',
            choicesMax,
          ) ?? 1,
      }
    },
  }
}

export const generate = rulesFor(false)
export const streamGenerate = rulesFor(true)

/** For counts of tokens, whose request may be a member of the body. */
export const countedGenerate: KindRules = {
  ...generate,
  requestIn: countedRequest,
  read: (body, path) => generate.read(countedRequest(body), path),
}

/** Gemini API, "embedContent" and "batchEmbedContents", a stored copy read 2026-11-23. */
export const embed: KindRules = {
  kind: 'embed',
  protocol: geminiProtocol,
  isRepeatable: true,
  idPrefix: '',
  read(body, path) {
    const contents = member(body, 'requests') === undefined ? [body] : listMember(body, 'requests')
    const isGiven = contents.length > 0 && contents.every((request) => listMember(objectMember(request, 'content'), 'parts').length > 0)
    if (!isGiven)
      throw new AppError('invalid_parameter', { params: { name: member(body, 'requests') === undefined ? 'content' : 'requests' } })
    const model = modelIn({ model: withoutPrefix(path['model'] ?? '') })
    const media = new PromptMedia(model)
    const promptTokens = contents.reduce((sum, request) => sum + tokensIn(member(request, 'content'), media), 0)
    const isText = contents.every((request) => isAllText(objectMember(request, 'content')))
    const textPrompt = isText ? { textPrompt: { tokens: promptTokens, messages: 0 } } : {}
    return { model, ...media.params, promptTokens, ...textPrompt, isStream: false, wantsUsage: false, maxTokens: 0, choices: 1 }
  },
}

/** Whether all parts of a content are text. */
function isAllText(content: JsonObject): boolean {
  return listMember(content, 'parts').every(({ text }) => typeof text === 'string')
}

/** The place of the first content or part that is no object, which Google refuses and no other vendor would get; `null` = there is none. */
function strangeIn(body: JsonObject, name: string): string | null {
  const value = member(body, name)
  const list = Array.isArray(value) ? value : [value]
  for (const [at, content] of list.entries()) {
    if (content === undefined) continue
    const place = Array.isArray(value) ? `${name}[${at}]` : name
    if (!isObject(content)) return place
    const parts = member(content, 'parts')
    const strange = Array.isArray(parts) ? parts.findIndex((part) => !isObject(part)) : -1
    if (strange !== -1) return `${place}.parts[${strange}]`
  }
  return null
}

/** Models are named with and without it. */
function withoutPrefix(model: string): string {
  return model.replace(/^models\//, '')
}

/** @throws AppError without contents */
function promptOf(body: JsonObject, media: PromptMedia): Pick<RequestParams, 'promptTokens' | 'textPrompt'> {
  const contents = listMember(body, 'contents')
  if (contents.length === 0) throw new AppError('invalid_parameter', { params: { name: 'contents' } })
  const system = objectMember(body, 'systemInstruction')
  const tools = member(body, 'tools')
  // The vendor has it; nobody here knows its length.
  const cached = member(body, 'cachedContent') === undefined ? 0 : media.addUnknown()
  const tokens = cached + tokensIn(contents, media) + tokensIn(system, media)
  const count = contents.length + (Object.keys(system).length === 0 ? 0 : 1)
  const declared = tools === undefined ? 0 : estimateTokens(JSON.stringify(tools))
  const promptTokens = tokens + declared + count * messageTokens
  const isText = contents.every(isAllText)
  return isText ? { promptTokens, textPrompt: { tokens: tokens + declared, messages: count } } : { promptTokens }
}

function tokensIn(value: Json | undefined, media: PromptMedia): number {
  const { texts, otherTokens } = countableContents(value, media)
  return texts.reduce((sum, text) => sum + estimateTokens(text), otherTokens)
}

/** What is to be counted in contents and their parts. */
export function countableContents(value: Json | undefined, media: PromptMedia): Countable {
  const texts: string[] = []
  return { otherTokens: visit(value, texts, media), texts }
}

function visit(value: Json | undefined, texts: string[], media: PromptMedia): number {
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + visit(part, texts, media), 0)
  if (!isObject(value)) return 0
  if (typeof value['text'] === 'string') {
    texts.push(value['text'])
    return 0
  }
  const called = member(value, 'functionCall') ?? member(value, 'functionResponse')
  if (isObject(called)) {
    texts.push(`${textOr(called['name'], '')} ${JSON.stringify(called['args'] ?? called['response'] ?? {})}`)
    return visit(called['parts'], texts, media)
  }
  const inline = member(value, 'inlineData')
  if (isObject(inline)) {
    // More frames a second are more tokens.
    if (member(value, 'videoMetadata') !== undefined) media.addUncounted({ least: 0, most: Number.POSITIVE_INFINITY })
    return media.addFile(textOr(member(inline, 'mimeType'), ''), textOr(inline['data'], ''))
  }
  // Also a whole video of YouTube.
  return member(value, 'fileData') === undefined ? visit(value['parts'], texts, media) : media.addUnknown()
}

/** The tool by which a request asks for a search of the web. */
function searchOf(body: JsonObject): Pick<RequestParams, 'webSearch'> {
  const at = listMember(body, 'tools').findIndex(
    (tool) => member(tool, 'googleSearch') !== undefined || member(tool, 'googleSearchRetrieval') !== undefined,
  )
  return at === -1 ? {} : { webSearch: { name: `tools[${at}].googleSearch`, tool: 'web_search' } }
}
