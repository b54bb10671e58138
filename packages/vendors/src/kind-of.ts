import type { Kind } from './kind.ts'

/** Kinds that a model can be of. What pictures and sound are turned into is the same model's. */
export type ModelKind = Exclude<Kind, 'edits' | 'realtime' | 'image-edits' | 'image-variations' | 'translations'>

/** By what is written in the name; the first row that fits holds. Names that say nothing are chats. */
const names: ReadonlyArray<readonly [RegExp, ModelKind]> = [
  [/rerank/, 'rerank'],
  [/moderation/, 'moderations'],
  [/embed|text-similarity|(?:^|\/)(?:bge|gte|e5|m3e|voyage)-/, 'embeddings'],
  [/whisper|transcribe|paraformer|sensevoice|[-/]asr(?:-|$)/, 'transcriptions'],
  [/(?:^|[-/])tts(?:-|$)|speech|playai|orpheus|cosyvoice/, 'speech'],
  [
    /dall-e|gpt-image|chatgpt-image|imagen|stable-diffusion|(?:^|[-/])(?:sdxl?|sd3|flux|cogview|wanx|seedream|kolors)(?:[-.\d]|$)/,
    'images',
  ],
  [/(?:^|\/)(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/, 'completions'],
  [/(?:^|\/)(?:o\d+|gpt-5[.\d]*)-(?:pro|codex|deep-research)|codex-mini|computer-use/, 'responses'],
]

/** What a model is for, as its name says it. */
export function kindOf(model: string): ModelKind {
  const name = model.toLowerCase()
  return names.find(([form]) => form.test(name))?.[1] ?? 'chat'
}
