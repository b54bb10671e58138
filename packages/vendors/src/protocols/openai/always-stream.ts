import type { ChatDialect } from '../../core/dialect.ts'
import { openai } from './dialect.ts'

const { passthrough: _bytes, ...translating } = openai

/** OpenAI's form for models that can only stream: whole responses are requested as a stream, too, and collected. */
export const openaiStreamed = {
  ...translating,
  isOpenAIForm: true,
  request(chat, target) {
    const { body, ...rest } = openai.request(chat, { ...target, stream: true })
    return { ...rest, body: { ...body, stream: true } }
  },
} satisfies ChatDialect
