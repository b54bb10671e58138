import type { DialectNames } from '../../registry/dialect-table.ts'

/** All kinds that OpenAI and fully compatible servers support. */
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
