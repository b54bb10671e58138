import type { TaskResult } from '@sluice/vendors/tasks/task'
import { AppError } from '../../lib/app-error.ts'
import type { UpstreamResponse } from '../upstream/http1/client.ts'
import { mediaTypeOf } from '../upstream/plain-answers.ts'

/** Types that are passed on. Everything else could be a page. */
const mediaTypes = /^(?:video|image|audio)\/[\w.+-]+$/
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

/** The content type of a result. @throws AppError if it is none of a video, a picture or a sound */
export function resultTypeOf(response: UpstreamResponse, { variant, contentType }: Pick<TaskResult, 'variant' | 'contentType'>): string {
  const type = mediaTypeOf(response)
  if (mediaTypes.test(type)) return type
  if (!plainTypes.has(type) && response.status !== 416) throw new AppError('upstream_invalid_response')
  return contentType ?? usualTypes[variant]
}
