import { setImmediate } from 'node:timers/promises'
import type { RequestParams, UnmeasuredMedia } from '../model/request-params.ts'
import { estimateDurationMs } from './audio-duration.ts'
import type { AudioMeter } from './audio-meter.ts'
import { audioTokens } from './audio-tokens.ts'
import { documentTokens, isMeasured } from './document-tokens.ts'
import { pictureTokens } from './picture-tokens.ts'
import { addUncounted } from './prompt-media.ts'

/** The parameters with what their media cost, too. */
export async function measureMedia(params: RequestParams, meter: Pick<AudioMeter, 'measure'>): Promise<RequestParams> {
  const { unmeasured, ...others } = params
  if (unmeasured === undefined) return params
  const tokens = await mediaTokens(unmeasured, params.model, meter)
  const promptTokens = params.promptTokens + tokens.image + tokens.audio + tokens.document
  // What a document says of its length cannot be checked.
  const isSure = unmeasured.documents.every(isMeasured)
  const uncounted = isSure ? params.uncounted : addUncounted(params.uncounted, { least: 0, most: Number.POSITIVE_INFINITY })
  return {
    ...others,
    promptTokens,
    imageTokens: tokens.image,
    audioTokens: tokens.audio,
    uncounted,
    ...(await durationOf(unmeasured.file, meter)),
  }
}

/** Estimated prompt tokens of the media of a prompt. */
export async function mediaTokens(
  { images, audio, documents }: Omit<UnmeasuredMedia, 'file'>,
  model: string,
  meter: Pick<AudioMeter, 'measure'>,
): Promise<{ readonly image: number; readonly audio: number; readonly document: number }> {
  let document = 0
  for (const file of documents) {
    document += documentTokens(file, model)
    await setImmediate()
  }
  return { image: await imageTokens(images, model), audio: await audioTokens(audio, model, meter), document }
}

/** Images that are measured before others are served: a hostile one takes two milliseconds. */
const imagesAtOnce = 4

async function imageTokens(images: UnmeasuredMedia['images'], model: string): Promise<number> {
  let tokens = 0
  for (const [index, image] of images.entries()) {
    tokens += pictureTokens(image, model)
    if (index % imagesAtOnce === imagesAtOnce - 1) await setImmediate()
  }
  return tokens
}

async function durationOf(file: UnmeasuredMedia['file'], meter: Pick<AudioMeter, 'measure'>): Promise<Pick<RequestParams, 'audioMs'>> {
  if (file === null) return {}
  return { audioMs: (await meter.measure(file)) ?? estimateDurationMs(file.byteLength) }
}
