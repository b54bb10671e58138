import type { Lengths } from '../../core/task.ts'
import type { FramedModel } from '../../protocols/tasks/video-frame.ts'

/** What the orders of a model may have. */
export interface VideoModel extends FramedModel {
  /** It takes a last frame beside the first. */
  readonly hasLastFrame: boolean
  /** Whether there is audio can be chosen. */
  readonly hasAudioChoice: boolean
  /** It takes images that only guide it, at the same price. */
  readonly hasReferences: boolean
}

const wide = ['16:9', '9:16']
const three = [...wide, '1:1']
const five = [...three, '4:3', '3:4']
const six = [...five, '21:9']
const seven = [...six, '9:21']

const between = (least: number, most: number): Lengths => ({ least, most })

const silent = { hasLastFrame: false, hasAudioChoice: false, hasReferences: false } as const
const framed = { ...silent, hasLastFrame: true } as const
const withAudio = { ...framed, hasAudioChoice: true } as const

const veo: VideoModel = { ...withAudio, hasReferences: true, seconds: [4, 6, 8], resolutions: ['720p', '1080p', '4K'], ratios: wide }
const kling: VideoModel = { ...withAudio, seconds: between(3, 15), resolutions: ['720p'], ratios: three }
const wan3: VideoModel = { ...silent, hasAudioChoice: true, seconds: between(2, 30), resolutions: ['720p', '480p', '1080p'], ratios: five }
const horse: VideoModel = { ...silent, seconds: between(3, 15), resolutions: ['720p', '1080p'], ratios: seven }

/**
 * Models whose videos are priced by the second and nothing else (OpenRouter, `GET /api/v1/videos/models` of 2026-10-09, as a plugin of GetAPI keeps
 * it, read 2026-11-27). Seedance is priced by tokens that a task request does not show, and Grok and Wan 2.6 by what they are made of: they are not here.
 */
export const videoModels: Readonly<Record<string, VideoModel>> = {
  'google/veo-3.1': veo,
  'google/veo-3.1-fast': veo,
  'google/veo-3.1-lite': { ...veo, resolutions: ['720p', '1080p'] },
  'kwaivgi/kling-v3.0-pro': kling,
  'kwaivgi/kling-v3.0-std': kling,
  'kwaivgi/kling-video-o1': { ...kling, seconds: [5, 10] },
  'minimax/hailuo-3-max': { ...framed, seconds: between(5, 15), resolutions: ['768p', '480p'], ratios: six },
  'minimax/hailuo-3': { ...framed, hasAudioChoice: true, seconds: between(5, 15), resolutions: ['2K'], ratios: six },
  'minimax/hailuo-2.3': { ...silent, seconds: [6, 10], resolutions: ['1080p'], ratios: ['16:9'] },
  'alibaba/wan-3.0-prime': wan3,
  'alibaba/wan-3.0': wan3,
  'alibaba/wan-2.7': { ...withAudio, seconds: between(2, 10), resolutions: ['720p', '1080p'], ratios: five },
  'alibaba/happyhorse-1.1': horse,
  'alibaba/happyhorse-1.0': horse,
  'black-forest-labs/flux-3-video': { ...withAudio, seconds: between(5, 20), resolutions: ['720p', '1080p'], ratios: six },
  'runway/gen-4.5': { ...silent, seconds: between(2, 10), resolutions: ['720p'], ratios: wide },
  'heygen/heygen-video-1': { ...silent, seconds: between(5, 15), resolutions: ['768p', '480p', '2K'], ratios: six },
}

/** What orders of all other models may have: the vendor refuses what its model has not. */
export const anyVideoModel: VideoModel = {
  ...withAudio,
  hasReferences: true,
  seconds: between(1, 60),
  resolutions: ['720p', '480p', '540p', '768p', '1080p', '1K', '2K', '4K'],
  ratios: [...seven, '3:2', '2:3'],
}
