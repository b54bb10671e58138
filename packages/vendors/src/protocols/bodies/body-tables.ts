import type { Kind } from '../../core/kind.ts'
import type { BodyTable } from './body-row.ts'
import { chatBody } from './chat-body.ts'
import { embedBody, generateBody } from './generate-body.ts'
import { messagesBody } from './messages-body.ts'
import {
  completionsBody,
  editsBody,
  embeddingsBody,
  imagesBody,
  moderationsBody,
  rerankBody,
  speechBody,
  transcriptionsBody,
} from './other-bodies.ts'
import { realtimeBody } from './realtime-body.ts'
import { responsesBody } from './responses-body.ts'

/** What the body of each kind of call may have; of sessions, what each message of a client may have. */
export const bodyTables: Readonly<Record<Kind, BodyTable>> = {
  chat: chatBody,
  responses: responsesBody,
  messages: messagesBody,
  generate: generateBody,
  embed: embedBody,
  completions: completionsBody,
  edits: editsBody,
  embeddings: embeddingsBody,
  moderations: moderationsBody,
  rerank: rerankBody,
  images: imagesBody,
  'image-edits': imagesBody,
  'image-variations': imagesBody,
  speech: speechBody,
  transcriptions: transcriptionsBody,
  translations: transcriptionsBody,
  realtime: realtimeBody,
}
