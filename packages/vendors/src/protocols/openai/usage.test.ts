import { describe, expect, test } from 'bun:test'
import { noUsage } from '../../core/no-usage.ts'
import { responses } from '../responses/native.ts'
import { openai } from './dialect.ts'
import { usageIn } from './usage.ts'

describe('searches of the web', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

  test('that an aggregator ran are counted, whole and in streams', () => {
    const counted = { ...usage, server_tool_use: { web_search_requests: 2, tool_calls_requested: 2 } }
    expect(usageIn({ usage: counted })).toMatchObject({ searches: 2, promptTokens: 10, completionTokens: 5 })
    const chunk = { object: 'chat.completion.chunk', choices: [], usage: counted }
    expect(openai.passthrough.event(JSON.stringify(chunk)).usage).toMatchObject({ searches: 2 })
    const detailed = { ...usage, server_tool_use_details: { web_search_requests: 3, tool_calls_executed: 3 }, server_tool_use: null }
    expect(usageIn({ usage: detailed })).toMatchObject({ searches: 3 })
    expect(usageIn({ usage })).toMatchObject({ searches: 0 })
    expect(usageIn({ usage: { ...usage, server_tool_use: null } })).toMatchObject({ searches: 0, isSuspect: false })
    expect(usageIn({ usage: { ...usage, server_tool_use: { web_search_requests: -1 } } })?.isSuspect).toBe(true)
  })
})

/** Each place where a vendor with OpenAI's protocol reports a count that has a price of its own, or that is shown. */
describe('the counts of a usage', () => {
  const totals = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
  const written = { cacheWriteTokens: 30, isCacheExplicit: true }

  test.each([
    ['cached, in details', { prompt_tokens_details: { cached_tokens: 60 } }, { cachedTokens: 60 }],
    ['cached, in details of another name', { prompt_token_details: { cached_tokens: 60 } }, { cachedTokens: 60 }],
    ['cached, at the top', { prompt_tokens_details: null, cached_tokens: 60 }, { cachedTokens: 60 }],
    ['cached, as hits', { prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }, { cachedTokens: 60 }],
    ['cached, as a number', { num_cached_tokens: 60 }, { cachedTokens: 60 }],
    ['more cached than there were', { prompt_tokens_details: { cached_tokens: 600 } }, { cachedTokens: 100 }],
    ['written', { prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 30 } }, { cachedTokens: 10, ...written }],
    ['written, as Alibaba has it', { prompt_tokens_details: { cache_creation_input_tokens: 30 } }, written],
    ['written, as LiteLLM has it', { prompt_tokens_details: { cache_creation_tokens: 30 } }, written],
    ['written, as new-api has it', { prompt_tokens_details: { cached_creation_tokens: 30 } }, written],
    [
      'cached by marks, as Alibaba has it',
      { prompt_tokens_details: { cache_type: 'ephemeral', cache_creation_input_tokens: 0, cached_tokens: 60 } },
      { cachedTokens: 60, isCacheExplicit: true },
    ],
    ['reasoning, in details', { completion_tokens_details: { reasoning_tokens: 15 } }, { reasoningTokens: 15 }],
    ['reasoning, at the top', { completion_tokens_details: null, reasoning_tokens: 15 }, { reasoningTokens: 15 }],
    [
      'sound and pictures',
      { prompt_tokens_details: { audio_tokens: 5, image_tokens: 6 }, completion_tokens_details: { audio_tokens: 7, image_tokens: 8 } },
      { audioInputTokens: 5, imageInputTokens: 6, audioOutputTokens: 7, imageOutputTokens: 8 },
    ],
    [
      'sound and pictures of which some were cached',
      {
        prompt_tokens_details: {
          ...{ cached_tokens: 7, audio_tokens: 5, image_tokens: 6 },
          cached_tokens_details: { audio_tokens: 3, image_tokens: 4 },
        },
      },
      { cachedTokens: 7, audioInputTokens: 2, imageInputTokens: 2 },
    ],
  ] as const)('%s', (_, more, counts) => {
    const read = usageIn({ usage: { ...totals, ...more } })
    expect(read).toEqual({ ...noUsage, promptTokens: 100, completionTokens: 20, ...counts })
  })

  test('that grow in every chunk are the last ones, not their sum', () => {
    const stream = openai.stream({ id: 'c', created: 1, model: 'm' })
    const chunk = (completion: number, reason: string | null) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: reason }],
      usage: { prompt_tokens: 100, completion_tokens: completion, total_tokens: 100 + completion },
    })
    for (const event of [chunk(1, null), chunk(2, null), chunk(3, 'stop')]) stream.event(JSON.stringify(event))
    stream.event(JSON.stringify({ ...chunk(3, 'stop'), choices: [] }))
    stream.event('[DONE]')
    expect(stream.end().usage).toEqual({ ...noUsage, promptTokens: 100, completionTokens: 3 })
  })

  test.each([{}, { usage: null }, { usage: {} }, { usage: { prompt_tokens: 3 } }])('are missing: %p', (body) => {
    expect(usageIn(body)).toBeNull()
  })
})

describe('output tokens', () => {
  /** As xAI reports a reasoning model: the total includes reasoning, the completion does not. */
  const beside = {
    prompt_tokens: 291,
    completion_tokens: 26,
    total_tokens: 506,
    prompt_tokens_details: { text_tokens: 291, audio_tokens: 0, image_tokens: 0, cached_tokens: 285 },
    completion_tokens_details: { reasoning_tokens: 189, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  }

  test('include reasoning that only the total includes', () => {
    const counted = { promptTokens: 291, completionTokens: 215, reasoningTokens: 189, cachedTokens: 285, isSuspect: false }
    expect(usageIn({ usage: beside })).toMatchObject(counted)
    const chunk = { object: 'chat.completion.chunk', choices: [], usage: beside }
    expect(openai.passthrough.event(JSON.stringify(chunk)).usage).toMatchObject(counted)
    const { input, output } = { input: beside.prompt_tokens, output: beside.completion_tokens }
    const response = {
      id: 'resp_1',
      output: [],
      usage: { input_tokens: input, output_tokens: output, total_tokens: 506, output_tokens_details: { reasoning_tokens: 189 } },
    }
    const result = responses.passthrough.response(response)
    expect(result).toMatchObject({ usage: { promptTokens: 291, completionTokens: 215, reasoningTokens: 189 } })
  })

  test('are not changed if the total has no reasoning besides them, or is anything else', () => {
    const withTotal = (total: number | undefined): number | undefined =>
      usageIn({ usage: { ...beside, completion_tokens: 215, total_tokens: total } })?.completionTokens
    for (const total of [undefined, 0, 506, 507, 694, 100_000, -1, 0.5]) expect(withTotal(total)).toBe(215)
    expect(usageIn({ usage: { ...beside, total_tokens: 400 } })?.completionTokens).toBe(26)
    expect(usageIn({ usage: { ...beside, completion_tokens_details: null } })?.completionTokens).toBe(26)
  })

  test('that are not counts make the usage invalid, whatever the total is', () => {
    expect(usageIn({ usage: { ...beside, total_tokens: 317 - 4, completion_tokens_details: { reasoning_tokens: -4 } } })?.isSuspect).toBe(
      true,
    )
  })
})
