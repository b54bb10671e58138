import { describe, expect, test } from 'bun:test'
import { openai } from './dialect.ts'
import { responses } from './responses.ts'
import { usageIn } from './usage.ts'

describe('searches of the web', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

  test('that an aggregator ran are counted, whole and in streams', () => {
    const counted = { ...usage, server_tool_use: { web_search_requests: 2, tool_calls_requested: 2 } }
    expect(usageIn({ usage: counted })).toMatchObject({ searches: 2, promptTokens: 10, completionTokens: 5 })
    const chunk = { object: 'chat.completion.chunk', choices: [], usage: counted }
    expect(openai.passthrough.event(JSON.stringify(chunk)).usage).toMatchObject({ searches: 2 })
    expect(usageIn({ usage })).toMatchObject({ searches: 0 })
    expect(usageIn({ usage: { ...usage, server_tool_use: null } })).toMatchObject({ searches: 0, isSuspect: false })
    expect(usageIn({ usage: { ...usage, server_tool_use: { web_search_requests: -1 } } })?.isSuspect).toBe(true)
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
    const reply = responses.passthrough.reply(response)
    expect(reply).toMatchObject({ usage: { promptTokens: 291, completionTokens: 215, reasoningTokens: 189 } })
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
