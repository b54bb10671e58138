import { anthropic } from './anthropic/dialect.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './openai/dialect.ts'

/** Every chat dialect by name. A vendor record can only name one that stands here. */
export const chatDialects = { openai, anthropic } as const satisfies Record<string, ChatDialect>

export type ChatDialectName = 'openai' | 'anthropic'
