import { lookUp } from '../../core/is-object.ts'
import type { TaskParams } from '../../core/task.ts'

/** What an app of fal takes beside its prompt. */
export interface App {
  /** Its address below the queue, as fal writes it: `fal-ai/pika/v2.2/text-to-video`. */
  readonly path: string
  readonly resolutions: readonly string[]
  /** Lengths in seconds that have a price; the first is the default. `null`: the app is not known here. */
  readonly durations: readonly number[] | null
  /** Empty: the app has no such parameter. */
  readonly ratios: readonly string[]
}

interface Family extends Omit<App, 'path' | 'ratios'> {
  readonly version: string
  readonly hasRatio: boolean
}

const ratios = ['16:9', '9:16', '1:1', '4:5', '5:4', '3:2', '2:3']
const usual = { resolutions: ['720p', '1080p'], hasRatio: true }

/**
 * Model name -> its apps. Source: fal.ai, "llms.txt" of each app of `fal-ai/pika`, read 2026-11-23. Versions 2.1 and turbo have a price for a
 * video of 5 seconds only.
 */
const families: Readonly<Record<string, Family>> = {
  'pika-2.1': { ...usual, version: 'v2.1', durations: [5] },
  'pika-2.2': { ...usual, version: 'v2.2', durations: [5, 10] },
  'pika-2.5': { version: 'v2.5', durations: [5, 10], resolutions: ['480p', '720p', '1080p'], hasRatio: false },
  'pika-turbo': { ...usual, version: 'v2/turbo', durations: [5] },
}

/** An address as it is: names between slashes, none of which is only dots. */
const path = /^fal-ai(?:\/(?!\.{1,256}(?:\/|$))[\w.-]{1,256}){1,16}$/

const onlyImages = '-i2v'

/** The app for an order; `refused`: the parameter because of which there is none. */
export function appFor({ model, images }: Pick<TaskParams, 'model' | 'images'>): App | { readonly refused: string } {
  const hasImage = images.length > 0
  if (images.length > 1) return { refused: 'input_reference' }
  if (path.test(model)) return { path: model, resolutions: ['480p', '720p', '1080p'], durations: null, ratios: hasImage ? [] : ratios }
  const needsImage = model.endsWith(onlyImages)
  const family = lookUp(families, needsImage ? model.slice(0, -onlyImages.length) : model)
  if (family === undefined) return { refused: 'model' }
  if (needsImage && !hasImage) return { refused: 'input_reference' }
  const { version, hasRatio, ...rest } = family
  return {
    ...rest,
    path: `fal-ai/pika/${version}/${hasImage ? 'image' : 'text'}-to-video`,
    // A video that begins with an image has its ratio.
    ratios: hasRatio && !hasImage ? ratios : [],
  }
}
