import type { Kind } from '../packages/vendors/src/core/kind.ts'

/** Streams as three vendors' servers write them, all of the same texts. */
interface NaturalStream {
  readonly name: string
  readonly kind: Extract<Kind, 'chat' | 'messages' | 'generate'>
  readonly frames: readonly Uint8Array[]
}

/** Pieces of text of natural lengths: mostly words, now and then a line end or a quote. */
const texts = Array.from({ length: 400 }, (_text, index) =>
  ' lorem ipsum dolor "sit" amet,\n'.slice(index % 11, (index % 11) + 4 + (index % 17)),
)

const json = (value: unknown): string => JSON.stringify(value)
const framesOf = (events: readonly string[]): readonly Uint8Array[] => events.map((event) => Buffer.from(event))

/** OpenAI's chunks with the padding that hides their length (OpenAI API reference, "Streaming", a stored copy read 2026-11-22). */
function openAiFrames(): readonly Uint8Array[] {
  const chunk = (delta: object, reason: string | null, more: object): string =>
    `data: ${json({ id: 'chatcmpl-DbJ3Y0y4q7xv9HDh5P2kZtRw8sLmN', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'gpt-5.5-2026-04-23', service_tier: 'default', system_fingerprint: null, choices: [{ index: 0, delta, finish_reason: reason }], usage: null, ...more })}\n\n`
  return framesOf([
    chunk({ role: 'assistant', content: '', refusal: null }, null, {}),
    ...texts.map((content, index) => chunk({ content }, null, { obfuscation: 'aZ09'.repeat(4).slice(index % 9) })),
    chunk({}, 'stop', {}),
    chunk({}, null, { choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 400, total_tokens: 1_400 } }),
    'data: [DONE]\n\n',
  ])
}

/** Anthropic's events with the blanks that hide their length (Messages API, "Streaming", read 2026-11-23). */
function anthropicFrames(): readonly Uint8Array[] {
  const event = (type: string, more: object, blanks = 0): string =>
    `event: ${type}\ndata: ${json({ type, ...more }).slice(0, -1)}${' '.repeat(blanks)}}\n\n`
  const usage = { input_tokens: 1_000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 2 }
  const message = {
    id: 'msg_01X',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  return framesOf([
    event('message_start', { message }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping', {}),
    ...texts.map((text, index) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }, index % 13)),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 400 } }),
    event('message_stop', {}),
  ])
}

/** Google's events, each with the usage so far (Gemini API, "GenerateContentResponse", a stored copy read 2026-11-23). */
function geminiFrames(): readonly Uint8Array[] {
  const event = (text: string, count: number, more = ''): string =>
    `data: {"candidates": [{"content": {"parts": [{"text": ${json(text)}}],"role": "model"}${more},"index": 0}],"usageMetadata": {"promptTokenCount": 1000,"candidatesTokenCount": ${count},"totalTokenCount": ${count + 1_059},"promptTokensDetails": [{"modality": "TEXT","tokenCount": 1000}],"thoughtsTokenCount": 59},"modelVersion": "gemini-3.1-pro","responseId": "kV3aZ8Wd"}\r\n\r\n`
  return framesOf([...texts.map((text, index) => event(text, index + 1)), event('', 400, ',"finishReason": "STOP"')])
}

export const naturalStreams: readonly NaturalStream[] = [
  { name: 'chats at OpenAI', kind: 'chat', frames: openAiFrames() },
  { name: 'messages at Anthropic', kind: 'messages', frames: anthropicFrames() },
  { name: 'contents at Gemini', kind: 'generate', frames: geminiFrames() },
]
