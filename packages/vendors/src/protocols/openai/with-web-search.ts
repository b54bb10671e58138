import type { ChatDialect } from '../../core/dialect.ts'
import { openai } from './dialect.ts'

/** OpenAI's form for vendors whose chats take its tool for searching the web, in a form of their own. */
export const openaiSearching = { ...openai, searchesWeb: true } satisfies ChatDialect
