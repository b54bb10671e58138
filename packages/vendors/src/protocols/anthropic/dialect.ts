import type { ChatDialect } from '../../core/dialect.ts'
import { claudeIds } from '../calls/call-ids.ts'
import { fittingCalls } from '../calls/conform-calls.ts'
import { claudeSchemas } from '../calls/tool-schemas.ts'
import { textBlock } from '../media/message-media.ts'
import { readFailure } from './failure.ts'
import { askAnthropicModels } from './model-list.ts'
import { anthropicMessages } from './native.ts'
import { toAnthropic } from './request.ts'
import { fromAnthropic } from './response.ts'
import { anthropicStream } from './stream.ts'
import { withoutForeignReasoning } from './without-reasoning.ts'

/** Anthropic's Messages API. */
export const anthropic: ChatDialect = fittingCalls(
  {
    request: toAnthropic,
    response: fromAnthropic,
    stream: anthropicStream,
    failure: readFailure,
    retryWithout: withoutForeignReasoning,
    askModels: askAnthropicModels,
    lacks: ['n', 'logprobs', 'top_logprobs'],
    searchesWeb: true,
    native: { messages: anthropicMessages },
    textFiles: { part: textBlock },
  },
  { ids: claudeIds, schemas: claudeSchemas },
)
