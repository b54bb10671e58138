import type { RequestParams } from '../model/request-params.ts'
import { msOfAudioTokens } from '../pricing/audio-tokens.ts'

/** What of the count of a response its order bounds, where no limit of tokens is sent. */
export interface KindBounds {
  /** Output tokens of the whole response; `null`: nothing bounds them. */
  readonly outputMax: number | null
  /** Milliseconds of audio. */
  readonly audioMsMax: number
  /** Input tokens of the audio that was sent, which is all of the prompt beside its text; `null`: none was. */
  readonly audioInputTokens: number | null
}

const unbounded: KindBounds = { outputMax: null, audioMsMax: 0, audioInputTokens: null }

/**
 * Tokens of the dearest image of the usual sizes: 7,033 by the price of `gpt-image-2` for one of high quality, 6,250 by that of `gpt-image-1`
 * (OpenAI, "Image generation", prices in `prices.json`). Larger ones have as many more as they have more pixels.
 */
const countImageTokens = 8_192
const usualPixels = 1_536 * 1_024

/** Input tokens of a second of audio at the vendor that counts most of them, and output tokens of fast speech in the dearest script. */
const audioInputPerSecond = 32
const writtenPerSecond = 16
/** Output tokens of a second of speech; the vendors that say it have 20 to 25. */
const spokenPerSecond = 32
/** How many times as long as measured a vendor may count a file, and how much more: some have a least length, or read other headers. */
const lengthTimesMax = 5
const lengthMoreMs = 60_000
/** Speech of a text: a second for each character, and instructions may ask for pauses. */
const spokenSecondsMin = 60
const instructedSeconds = 600

/** @param kind of the call */
export function boundsOf(kind: string, params: RequestParams): KindBounds {
  switch (kind) {
    case 'images':
    case 'image-edits':
    case 'image-variations':
      return { ...unbounded, outputMax: (params.images ?? 1) * tokensOfImage(params.imageSize) }
    case 'transcriptions':
    case 'translations':
      return audioInputBounds(params.audioMs ?? 0)
    case 'speech':
      return spokenBounds(params)
    default:
      return { ...unbounded, audioMsMax: readBounds(params) }
  }
}

/** Most tokens of one image of a size as clients write it. */
export function tokensOfImage(size = ''): number {
  const [width = 0, height = 0] = size.replace('*', 'x').split('x').map(Number)
  const pixels = Math.min(width, sideMax) * Math.min(height, sideMax)
  return Math.ceil(countImageTokens * (pixels > usualPixels ? pixels / usualPixels : 1))
}

/** Pixels of a side. */
const sideMax = 8_192

/** Milliseconds of audio that a chat can be charged for: of a file that only the vendor sees the longest that models take. */
function readBounds({ audioTokens = 0, uncounted }: RequestParams): number {
  return msOfAudioTokens(audioTokens) * lengthTimesMax + lengthMoreMs + (uncounted === undefined ? 0 : unseenMs)
}

/** Three hours. */
const unseenMs = 10_800_000

function audioInputBounds(audioMs: number): KindBounds {
  const seconds = audioMs / 1_000
  return {
    outputMax: Math.ceil(seconds * writtenPerSecond),
    audioMsMax: audioMs * lengthTimesMax + lengthMoreMs,
    audioInputTokens: Math.ceil(seconds * audioInputPerSecond),
  }
}

function spokenBounds({ characters = 0, isInstructed }: RequestParams): KindBounds {
  const seconds = spokenSecondsMin + characters + (isInstructed === true ? instructedSeconds : 0)
  return { ...unbounded, outputMax: seconds * spokenPerSecond, audioMsMax: seconds * 1_000 }
}
