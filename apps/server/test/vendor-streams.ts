import { chatChunk, usageChunk } from './fake-upstream.ts'

/** A stream of a vendor, event by event. */
export interface VendorStream {
  readonly name: string
  /** Channel type. */
  readonly type: number
  readonly model: string
  readonly events: readonly string[]
  /** Number of events after which the response is complete, however the connection ends. */
  readonly wholeAfter: number
  /** The last event says that nothing follows, so that the end of the connection need not. */
  readonly hasTerminator: boolean
  /** An error within a stream. */
  readonly error: string
}

export const words = ['Grüße', ' aus', ' 北京', ' 🙂', ' and', ' more']

const data = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string; readonly [field: string]: unknown }) => `event: ${value.type}\n${data(value)}`

/** @param outputTokens the vendor's count */
export function openAiStream(outputTokens: number): VendorStream {
  return {
    ...{ name: 'OpenAI', type: 1, model: 'gpt-4o-mini' },
    events: [
      chatChunk({ role: 'assistant', content: '' }),
      ...words.map((content) => chatChunk({ content })),
      chatChunk({}, 'stop'),
      usageChunk(20, outputTokens),
      '[DONE]',
    ].map(data),
    // The event with the reason.
    wholeAfter: words.length + 2,
    hasTerminator: true,
    error: data({ error: { message: 'broken', code: 'x' } }),
  }
}

/** @param outputTokens the vendor's count */
export function anthropicStream(outputTokens: number): VendorStream {
  const usage = { input_tokens: 20, output_tokens: 1 }
  return {
    ...{ name: 'Anthropic', type: 14, model: 'claude-sonnet-4-5' },
    events: [
      named({ type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage } }),
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      ...words.map((text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      named({ type: 'content_block_stop', index: 0 }),
      named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: outputTokens } }),
      named({ type: 'message_stop' }),
    ],
    wholeAfter: words.length + 4,
    hasTerminator: true,
    error: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  }
}

/** @param outputTokens the vendor's count */
export function geminiStream(outputTokens: number): VendorStream {
  const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: outputTokens }
  const textChunk = (text: string, more: object = {}) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
  })
  return {
    ...{ name: 'Gemini', type: 24, model: 'gemini-3.8-flash' },
    events: [...words.map((text) => data(textChunk(text))), data({ ...textChunk('', { finishReason: 'STOP' }), usageMetadata })],
    wholeAfter: words.length + 1,
    hasTerminator: false,
    error: data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  }
}
