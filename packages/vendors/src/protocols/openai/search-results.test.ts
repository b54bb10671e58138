import { describe, expect, test } from 'bun:test'
import { accumulate, play } from '../../../test/accumulate.ts'
import { byChat } from '../responses/by-chat.ts'
import { responses } from '../responses/native.ts'
import { openai } from './dialect.ts'
import { openaiSearching } from './with-web-search.ts'

// Chats in OpenAI's form for which a vendor searched the web.

const context = { id: 'chatcmpl-1', created: 1, model: 'm' }
const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
const cited = (url: string, title: string) => ({ type: 'url_citation', url_citation: { url, title, start_index: 0, end_index: 0 } })
const response = (more: object, message: object = {}) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Dry.', ...message }, finish_reason: 'stop' }],
  usage,
  ...more,
})

const page = 'https://weather.example/porto'
const places = [
  ['beside the choices, by Zhipu', { web_search: [{ title: 'Porto', link: page, refer: 'ref_1' }] }, {}],
  ['beside the choices, by Baidu', { search_results: [{ index: 1, url: page, title: 'Porto' }] }, {}],
  ['beside the choices, in an object', { search_info: { search_results: [{ index: 1, url: page, title: 'Porto' }] } }, {}],
  ['in the message, by Tencent', {}, { search_results: [{ index: 1, name: 'Porto', url: page }] }],
] as const

describe('pages that were found', () => {
  test.each(places)('%s, are OpenAI’s annotations, and one search', (_, beside, inside) => {
    const body = response(beside, inside)
    expect(openai.passthrough.response(body)).toMatchObject({ usage: { promptTokens: 9, searches: 1 } })
    const repaired = openai.passthrough.repairResponse?.(body, context)
    expect(repaired).toMatchObject({ choices: [{ message: { content: 'Dry.', annotations: [cited(page, 'Porto')] } }] })
  })

  test.each(places)('%s, come with the end of a stream, however early the vendor reports them', (_, beside, inside) => {
    const chunk = (delta: object, reason: string | null, more: object = {}) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    })
    const events = [
      chunk({ role: 'assistant', content: '', ...inside }, null, beside),
      chunk({ content: 'Dry.' }, null),
      chunk({}, 'stop', { usage }),
    ]
    const { chunks, usage: counted } = play(
      openai.stream(context),
      events.map((event) => JSON.stringify(event)),
    )
    const [last] = chunks.slice(-1)
    expect(last).toMatchObject({ choices: [{ delta: { annotations: [cited(page, 'Porto')] }, finish_reason: 'stop' }] })
    expect(accumulate(chunks.slice(0, -1))['message']).toMatchObject({ content: 'Dry.' })
    expect(counted).toMatchObject({ promptTokens: 9, searches: 1 })
    const asResponse = play(
      byChat(openaiSearching).stream(context),
      events.map((event) => JSON.stringify(event)),
    )
    expect(asResponse.last?.at(-1)).toMatchObject({
      response: { output: [{ content: [{ text: 'Dry.', annotations: [{ type: 'url_citation', url: page }] }] }] },
    })
  })

  test('without an address are not cited, and none at all is no search', () => {
    const bare = response({ web_search: [{ title: 'Porto', link: '' }] })
    expect(openai.passthrough.repairResponse?.(bare, context) ?? bare).not.toHaveProperty('choices.0.message.annotations')
    expect(openai.passthrough.response(response({ search_results: [] }))).toMatchObject({ usage: { searches: 0 } })
  })

  test('do not replace annotations of the vendor', () => {
    const own = { annotations: [cited('https://own.example', 'Own')] }
    expect(openai.passthrough.repairResponse?.(response({ search_results: [{ url: page, title: 'Porto' }] }, own), context)).toBeNull()
  })
})

describe('searches', () => {
  test('are as many as the usage says', () => {
    const counted = (more: object) => openai.passthrough.response(response({ usage: { ...usage, ...more } }))
    expect(counted({ plugins: { search: { count: 3, strategy: 'turbo' } } })).toMatchObject({ usage: { searches: 3 } })
    expect(counted({ tool_usage: { web_search: 2 } })).toMatchObject({ usage: { searches: 2 } })
    expect(counted({ plugins: { search: { count: -1 } } })).toMatchObject({ usage: { searches: 0 } })
    const last = { choices: [], usage: { ...usage, plugins: { search: { count: 2 } } } }
    expect(openai.passthrough.event(JSON.stringify(last)).usage).toMatchObject({ searches: 2 })
  })

  test('of a response are at least those of its usage, because one call searches for several words', () => {
    const output = [
      { type: 'web_search_call', action: { type: 'search', query: 'Porto' } },
      { type: 'message', content: [{ type: 'output_text', text: 'Dry.' }] },
    ]
    const counted = { input_tokens: 9, output_tokens: 2, total_tokens: 11 }
    const read = (more: object) => responses.passthrough.response({ id: 'r', output, usage: { ...counted, ...more } })
    expect(read({ tool_usage: { web_search: 3 } })).toMatchObject({ usage: { searches: 3 } })
    expect(read({})).toMatchObject({ usage: { searches: 1 } })
  })

  test('by a call that the client returns are charged once for the response', () => {
    const call = { index: 0, id: 'c1', type: 'builtin_function', function: { name: '$web_search', arguments: '{}' } }
    expect(openai.passthrough.response(response({}, { content: null, tool_calls: [call] }))).toMatchObject({ usage: { searches: 1 } })
    const other = { ...call, function: { name: 'weather', arguments: '{}' } }
    expect(openai.passthrough.response(response({}, { content: null, tool_calls: [other] }))).toMatchObject({ usage: { searches: 0 } })
    const chunk = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }
    expect(openai.passthrough.event(JSON.stringify(chunk))).toMatchObject({ searches: 1 })
  })
})
