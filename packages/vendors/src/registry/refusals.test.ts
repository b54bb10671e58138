import { describe, expect, test } from 'bun:test'
import { play } from '../../test/accumulate.ts'
import { chatDialects } from '../../test/chat-dialects.ts'
import { context } from '../../test/failures.ts'
import type { ChatDialect } from '../core/dialect.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { generateByChat } from '../protocols/generate/by-chat.ts'
import { messagesByChat } from '../protocols/messages/by-chat.ts'
import { byChat } from '../protocols/responses/by-chat.ts'

/** A response that the vendor's filter ended, whole and in events. `missing`: the dialect has no such form. */
interface Refused {
  readonly why: string
  readonly dialect: keyof typeof chatDialects
  readonly whole?: Json
  readonly events?: ReadonlyArray<Json | readonly [data: Json, name: string]>
}

const openaiChoice = (reason: string, fields: JsonObject = {}): Refused => ({
  why: `the reason ${reason}`,
  dialect: 'openai',
  whole: { choices: [{ index: 0, message: { role: 'assistant', content: '', ...fields }, finish_reason: reason }] },
  events: [{ choices: [{ index: 0, delta: { role: 'assistant', content: '', ...fields }, finish_reason: reason }] }],
})

const candidate = (finishReason: string): Refused => ({
  why: `the reason ${finishReason}`,
  dialect: 'gemini',
  whole: { candidates: [{ finishReason, index: 0 }] },
  events: [{ candidates: [{ content: { parts: [{ text: 'So' }], role: 'model' } }] }, { candidates: [{ finishReason, index: 0 }] }],
})

const converse = (stopReason: string): Refused => ({
  why: `the reason ${stopReason}`,
  dialect: 'converse',
  whole: { output: { message: { role: 'assistant', content: [{ text: 'No.' }] } }, stopReason, usage: { inputTokens: 1, outputTokens: 1 } },
  events: [
    [{ delta: { text: 'No.' }, contentBlockIndex: 0 }, 'contentBlockDelta'],
    [{ stopReason }, 'messageStop'],
    [{ usage: { inputTokens: 1, outputTokens: 1 } }, 'metadata'],
  ],
})

const blocked = (blockReason: string): Refused => ({
  why: `a prompt that is blocked for ${blockReason}`,
  dialect: 'gemini',
  whole: { promptFeedback: { blockReason } },
  events: [{ promptFeedback: { blockReason } }],
})

const claude: Refused = {
  why: 'the reason refusal',
  dialect: 'anthropic',
  whole: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: 'refusal' },
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  events: [
    [{ type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } } }, ''],
    [{ type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 1 } }, ''],
    [{ type: 'message_stop' }, ''],
  ],
}

const refused: readonly Refused[] = [
  ...['content_filter', 'sensitive', 'refusal', 'SAFETY', 'content_filter: SAFETY', 'content_filtered', 'guardrail_intervened'].map(
    (reason) => openaiChoice(reason),
  ),
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY', 'MODEL_ARMOR'].map(candidate),
  ...['IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'].map(candidate),
  ...['SAFETY', 'OTHER', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'IMAGE_SAFETY', 'MODEL_ARMOR', 'JAILBREAK'].map(blocked),
  ...['guardrail_intervened', 'content_filtered', 'refusal'].map(converse),
  claude,
  {
    why: 'the reason ERROR_TOXIC',
    dialect: 'cohere',
    whole: { message: { role: 'assistant', content: [{ type: 'text', text: 'So' }] }, finish_reason: 'ERROR_TOXIC' },
    events: [{ type: 'message-end', delta: { finish_reason: 'ERROR_TOXIC' } }],
  },
  {
    why: 'the reason sensitive',
    dialect: 'tencent',
    whole: { Response: { Choices: [{ FinishReason: 'sensitive', Message: { Role: 'assistant', Content: '' } }] } },
    events: [{ Choices: [{ FinishReason: 'sensitive', Delta: { Role: 'assistant', Content: '' } }] }],
  },
  {
    why: 'the reason content_filter',
    dialect: 'baidu',
    whole: { id: 'as-1', result: '', is_end: true, finish_reason: 'content_filter' },
    events: [{ id: 'as-1', result: '', is_end: true, finish_reason: 'content_filter' }],
  },
  {
    why: 'filters instead of candidates',
    dialect: 'palm',
    whole: { filters: [{ reason: 'SAFETY' }] },
  },
]

function wholeOf(dialect: Pick<ChatDialect, 'response'>, json: Json): JsonObject {
  const read = dialect.response(json, context)
  if (read === null || 'kind' in read) throw new Error(`no answer: ${JSON.stringify(read)}`)
  return read.response
}

function streamOf(dialect: Pick<ChatDialect, 'stream'>, events: NonNullable<Refused['events']>): readonly JsonObject[] {
  const stream = dialect.stream(context)
  const {
    chunks,
    last = [],
    failures,
    complete,
  } = play(
    stream,
    events.map((event) => (Array.isArray(event) ? ([JSON.stringify(event[0]), String(event[1])] as const) : JSON.stringify(event))),
  )
  expect({ failures, complete }).toEqual({ failures: [], complete: true })
  return [...chunks, ...last]
}

describe.each(refused.map((row) => [row.dialect, row.why, row] as const))('%s: %s', (name, _why, { whole, events }) => {
  const dialect: ChatDialect = chatDialects[name]

  test.if(whole !== undefined)('ends a whole response in each protocol', () => {
    const json = whole ?? null
    expect(wholeOf(dialect, json)).toMatchObject({ choices: [{ finish_reason: 'content_filter' }] })
    expect(wholeOf(messagesByChat(dialect), json)).toMatchObject({ stop_reason: 'refusal' })
    expect(wholeOf(generateByChat(dialect), json)).toMatchObject({ candidates: [{ finishReason: 'SAFETY' }] })
    expect(wholeOf(byChat(dialect), json)).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } })
  })

  test.if(events !== undefined)('ends a stream in each protocol', () => {
    const responseEvents = events ?? []
    const chunks = streamOf(dialect, responseEvents)
    expect(chunks.flatMap(({ choices }) => choices).at(-1)).toMatchObject({ finish_reason: 'content_filter' })
    const messages = streamOf(messagesByChat(dialect), responseEvents)
    expect(messages.find(({ type }) => type === 'message_delta')).toMatchObject({ delta: { stop_reason: 'refusal' } })
    expect(streamOf(generateByChat(dialect), responseEvents).at(-1)).toMatchObject({ candidates: [{ finishReason: 'SAFETY' }] })
    const response = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
    expect(streamOf(byChat(dialect), responseEvents).at(-1)).toMatchObject({ response })
  })
})

describe('a refusal in words, which OpenAI ends like any other response', () => {
  const { openai } = chatDialects
  const { whole, events } = openaiChoice('stop', { content: null, refusal: 'I cannot help with that.' })

  test('is reported as one to clients of other protocols', () => {
    expect(wholeOf(messagesByChat(openai), whole ?? null)).toMatchObject({
      content: [{ type: 'text', text: 'I cannot help with that.' }],
      stop_reason: 'refusal',
    })
    expect(wholeOf(generateByChat(openai), whole ?? null)).toMatchObject({
      candidates: [{ content: { parts: [] }, finishReason: 'SAFETY', finishMessage: 'I cannot help with that.' }],
    })
    expect(wholeOf(byChat(openai), whole ?? null)).toMatchObject({
      status: 'completed',
      output: [{ content: [{ type: 'refusal', refusal: 'I cannot help with that.' }] }],
    })
  })

  test('also in streams', () => {
    const messages = streamOf(messagesByChat(openai), events ?? [])
    expect(messages.find(({ type }) => type === 'message_delta')).toMatchObject({ delta: { stop_reason: 'refusal' } })
    const generated = streamOf(generateByChat(openai), events ?? [])
    expect(generated.at(-1)).toMatchObject({ candidates: [{ finishReason: 'SAFETY', finishMessage: 'I cannot help with that.' }] })
    expect(JSON.stringify(generated)).not.toContain('"text"')
  })
})
