import { describe, expect, test } from 'bun:test'
import { openai } from './dialect.ts'
import { responses } from './responses.ts'
import { usageIn } from './usage.ts'

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
