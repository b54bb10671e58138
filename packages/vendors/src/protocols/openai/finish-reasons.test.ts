import { describe, expect, test } from 'bun:test'
import { finishReasonOf } from './finish-reasons.ts'

describe('the reason of an end', () => {
  test.each([
    ['eos', 'stop'],
    ['model_length', 'length'],
    ['insufficient_system_resource', 'length'],
    ['aborted', 'length'],
    ['network_error', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['sensitive', 'content_filter'],
    ['content_filter_violence', 'content_filter'],
    ['content_filter: SAFETY', 'content_filter'],
    ['refusal', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['guardrail_intervened', 'content_filter'],
    ['tool_calls', 'tool_calls'],
    ['something_new', 'something_new'],
    ['', ''],
    [null, null],
    [undefined, undefined],
  ] as const)('%p is %p for clients', (upstreamReason, reason) => {
    expect(finishReasonOf(upstreamReason)).toBe(reason)
  })
})
