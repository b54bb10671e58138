import type { TaskResult } from '@sluice/vendors/core/task'
import { AppError } from '../../lib/app-error.ts'
import { parseMediaType } from '../../lib/parse-value.ts'
import type { UpstreamResponse } from '../upstream/http1/client.ts'
import { mediaTypeOf } from '../upstream/plain-responses.ts'

const plainTypes: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream', ''])

/** Content type by what the result is, where the vendor names none. */
export const usualTypes: Readonly<Record<TaskResult['variant'], string>> = {
  video: 'video/mp4',
  thumbnail: 'image/webp',
  spritesheet: 'image/jpeg',
  image: 'image/png',
  audio: 'audio/mpeg',
  text: 'text/plain; charset=utf-8',
}

/** The content type of a result. @throws AppError if it is none of a video, an image or audio */
export function resultTypeOf(response: UpstreamResponse, { variant, contentType }: Pick<TaskResult, 'variant' | 'contentType'>): string {
  const type = mediaTypeOf(response)
  const media = parseMediaType(type)
  if (media !== null) return media
  if (!plainTypes.has(type) && response.status !== 416) throw new AppError('upstream_invalid_response')
  return contentType ?? usualTypes[variant]
}
