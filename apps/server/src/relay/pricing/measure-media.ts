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
  const imageTokens = images.reduce<number>((sum, image) => sum + pictureTokens(image, params.model), 0)
  const promptTokens = params.promptTokens + imageTokens + (await audioTokens(audio, params.model, meter))
  return { ...others, promptTokens, ...(await durationOf(file, meter)) }
}

async function durationOf(file: UnmeasuredMedia['file'], meter: Pick<AudioMeter, 'measure'>): Promise<Pick<RequestParams, 'audioMs'>> {
  if (file === null) return {}
  return { audioMs: (await meter.measure(file)) ?? estimateDurationMs(file.byteLength) }
}
