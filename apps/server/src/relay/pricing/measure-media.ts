import { setImmediate } from 'node:timers/promises'
import type { RequestParams, UnmeasuredMedia } from '../model/request-params.ts'
import { estimateDurationMs } from './audio-duration.ts'
import type { AudioMeter } from './audio-meter.ts'
import { audioTokens } from './audio-tokens.ts'
import { pictureTokens } from './picture-tokens.ts'

/** The parameters with what their media cost, too. */
export async function measureMedia(params: RequestParams, meter: Pick<AudioMeter, 'measure'>): Promise<RequestParams> {
  const { unmeasured, ...others } = params
  if (unmeasured === undefined) return params
  const { images, audio, file } = unmeasured
  const { model } = params
  const ofImages = await imageTokens(images, model)
  const ofAudio = await audioTokens(audio, model, meter)
  const promptTokens = params.promptTokens + ofImages + ofAudio
  return { ...others, promptTokens, imageTokens: ofImages, audioTokens: ofAudio, ...(await durationOf(file, meter)) }
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
