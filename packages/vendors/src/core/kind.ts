/**
 * The calls of the API: one kind for each call of OpenAI's API, rerank, which has no standard and uses the form that most vendors
 * share, and what clients of other protocols call (`messages`: Anthropic's, `generate` and `embed`: Google's). A vendor lists
 * the kinds it has; there is no method that throws "not supported".
 */
export type Kind =
  | 'chat'
  | 'completions'
  | 'edits'
  | 'embeddings'
  | 'moderations'
  | 'rerank'
  | 'images'
  | 'image-edits'
  | 'image-variations'
  | 'speech'
  | 'transcriptions'
  | 'translations'
  | 'responses'
  | 'realtime'
  | 'messages'
  | 'generate'
  | 'embed'
