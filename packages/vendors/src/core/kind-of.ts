import type { Kind } from './kind.ts'

/** Kinds that a model can have. Edits, variations and translations use the models of another kind. */
export type ModelKind = Exclude<
  Kind,
  'edits' | 'realtime' | 'messages' | 'generate' | 'embed' | 'image-edits' | 'image-variations' | 'translations'
>

/** Patterns of model names; the first match decides. Other names are chats. */
const names: ReadonlyArray<readonly [RegExp, ModelKind]> = [
  [/rerank/, 'rerank'],
  [/moderation/, 'moderations'],
  [/embed|embo-|text-similarity|tao-8k|(?:^|\/)(?:bge|gte|m3e|voyage)-|(?:^|[-/])e5-/, 'embeddings'],
  [/whisper|transcribe|paraformer|sensevoice|deepgram\/(?:nova|flux)|(?:^|[-/])asr(?:-|$)/, 'transcriptions'],
  [/(?:^|[-/])tts(?:-|$)|speech|playai|orpheus|kokoro|cosyvoice|\/aura-|melotts/, 'speech'],
  [
    /dall-e|irag-|^360cv_|leonardo\/|gpt-image|chatgpt-image|imagen|stable-diffusion|(?:^|[-/])(?:sdxl?|sd3|flux|cogview|wanx?|seedream|kolors|(?:qwen|z|glm|step|hy)-image|step-\dx|image-01)(?:[-.\d]|$)/,
    'images',
  ],
  [/(?:^|\/)(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/, 'completions'],
  [/(?:^|\/)(?:o\d+|gpt-5[.\d]*)-(?:pro|codex|deep-research)|codex-mini|computer-use/, 'responses'],
]

/** The kind of a model, by its name. */
export function kindOf(model: string): ModelKind {
  const name = model.toLowerCase()
  return names.find(([form]) => form.test(name))?.[1] ?? 'chat'
}
