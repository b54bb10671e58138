import type { Kind } from './kind.ts'

/** What models are asked by what their names say, the first that fits. Only where nobody says it otherwise: a test must guess. */
const namedKinds: ReadonlyArray<readonly [RegExp, Kind]> = [
  [/rerank/i, 'rerank'],
  [/embed|(?:^|[/-])(?:bge|gte|e5)-/i, 'embeddings'],
  [/moderation/i, 'moderations'],
  [/whisper|transcri|(?:^|[/-])asr/i, 'transcriptions'],
  [/(?:^|[/-])tts|speech/i, 'speech'],
  [/dall-e|image|imagen|stable-diffusion|(?:^|[/-])(?:sdxl|flux|kolors|cogview)/i, 'images'],
  [/-instruct-0914|turbo-instruct$|^(?:davinci|babbage)-002/i, 'completions'],
]

/** The kind of call that a model is for, as far as its name tells: chat where it tells nothing else. */
export function kindOfModel(model: string): Kind {
  return namedKinds.find(([pattern]) => pattern.test(model))?.[1] ?? 'chat'
}
