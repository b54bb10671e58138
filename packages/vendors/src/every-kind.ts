import type { DialectNames } from './dialect-table.ts'

/** All that OpenAI's own servers answer, and servers that do as they do. */
export const everyKind: DialectNames = {
  chat: 'openai',
  completions: 'openai',
  edits: 'openai',
  embeddings: 'openai',
  moderations: 'openai',
  rerank: 'openai',
  images: 'openai',
  'image-edits': 'openai',
  'image-variations': 'openai',
  speech: 'openai',
  transcriptions: 'openai',
  translations: 'openai',
  responses: 'openai',
  realtime: 'openai',
}
