import type { ChatDialect } from '../../core/dialect.ts'
import type { VendorDialects } from '../../core/dialects-of-vendor.ts'
import { anthropic } from '../../protocols/anthropic/dialect.ts'
import { everyKind } from '../../protocols/every-kind.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { responses } from '../../protocols/responses/native.ts'
import { chatDialectOf } from '../openai/vendor.ts'

export const isClaude = (model: string): boolean => model.startsWith('claude')

const { rerank: _rerank, edits: _edits, ...azureKinds } = everyKind

/** The kinds at Azure, with the chats of OpenAI's models as they are wanted. */
const dialectsWith = (chatOf: (model: string) => ChatDialect): VendorDialects => ({
  ...azureKinds,
  chat: (model) => (isClaude(model) ? anthropic : chatOf(model)),
  responses: (model) => (isClaude(model) ? null : responses),
})

/** With chats that are sent as responses where their models want that. */
export const dialectsWithResponses = dialectsWith(chatDialectOf)

/** With chats that stay chats, at servers that may lack responses. */
export const azureDialects = dialectsWith(() => openai)
