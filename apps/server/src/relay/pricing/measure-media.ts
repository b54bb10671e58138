import { setImmediate } from 'node:timers/promises'
import type { ByteSource } from '../model/form.ts'
import type { InlineFile, RequestParams, UnmeasuredMedia } from '../model/request-params.ts'
import { audioTokens } from './audio-tokens.ts'
import { estimateTokens } from './count-tokens.ts'
import { type DocumentTokens, documentTokens, textOf } from './document-tokens.ts'
import { estimateDurationMs } from './estimate-duration.ts'
import { headBytes, sizeInBytes } from './image-size.ts'
import { countImageTokens, tokensOfSize } from './image-tokens.ts'
import type { MediaMeter } from './media-meter.ts'
import { addUncounted } from './prompt-media.ts'

/** The parameters with what their media cost, too. */
export async function measureMedia(params: RequestParams, meter: MediaMeter): Promise<RequestParams> {
  const { unmeasured, ...others } = params
  if (unmeasured === undefined) return params
  const tokens = await mediaTokens(unmeasured, params.model, meter)
  const { usual, most } = tokens.document
  const promptTokens = params.promptTokens + tokens.image + tokens.audio + usual
  return {
    ...others,
    promptTokens,
    imageTokens: (params.imageTokens ?? 0) + tokens.image,
    audioTokens: tokens.audio,
    uncounted: most > usual ? addUncounted(params.uncounted, { least: 0, most: most - usual }) : params.uncounted,
    ...(await durationOf(unmeasured.file, meter)),
  }
}

/** Estimated prompt tokens of the media of a prompt. */
export async function mediaTokens(
  { images, audio, documents, imageFiles = [], fidelity }: Omit<UnmeasuredMedia, 'file'>,
  model: string,
  meter: MediaMeter,
): Promise<{ readonly image: number; readonly audio: number; readonly document: DocumentTokens }> {
  const document = await tokensOfDocuments(documents, model, meter)
  const image = (await imageTokens(images, model)) + (await fileTokens(imageFiles, model, fidelity))
  return { image, audio: await audioTokens(audio, model, meter), document }
}

/** Images that are files of a form, of which only the beginning is read. */
async function fileTokens(imageFiles: readonly ByteSource[], model: string, fidelity: string | undefined): Promise<number> {
  let tokens = 0
  for (const file of imageFiles) {
    const head = await file.read(0, Math.min(file.byteLength, headBytes))
    tokens += tokensOfSize(sizeInBytes(Buffer.from(head)), model, fidelity)
  }
  return tokens
}

/** Documents of one request that are read; further ones are estimated by their size. */
const readMax = 64

async function tokensOfDocuments(documents: UnmeasuredMedia['documents'], model: string, meter: MediaMeter): Promise<DocumentTokens> {
  let [usual, most, left] = [0, 0, readMax]
  for (const file of documents) {
    const text = textOf(file)
    if (text !== null) {
      const tokens = estimateTokens(text)
      usual += tokens
      most += tokens
      await setImmediate()
      continue
    }
    const facts = left > 0 ? await meter.documentFacts(base64Of(file)) : null
    // Once a document could not be read in time, the others are estimated, too, so that one request does not keep the meter from others.
    if (left > 0) left = facts === null ? 0 : left - 1
    const tokens = documentTokens(file, model, facts)
    usual += tokens.usual
    most += tokens.most
  }
  return { usual, most }
}

/** Its characters, which have one byte each if they are base64. */
function base64Of({ data }: InlineFile): ByteSource {
  return { byteLength: data.length, read: async (start, end) => Buffer.from(data.slice(start, end)) }
}

/** Images that are measured before others are served: a hostile one takes two milliseconds. */
const imagesAtOnce = 4

async function imageTokens(images: UnmeasuredMedia['images'], model: string): Promise<number> {
  let tokens = 0
  for (const [index, image] of images.entries()) {
    tokens += countImageTokens(image, model)
    if (index % imagesAtOnce === imagesAtOnce - 1) await setImmediate()
  }
  return tokens
}

async function durationOf(file: UnmeasuredMedia['file'], meter: MediaMeter): Promise<Pick<RequestParams, 'audioMs'>> {
  if (file === null) return {}
  return { audioMs: (await meter.audioMs(file)) ?? estimateDurationMs(file.byteLength) }
}
