import { AppError } from '../lib/app-error.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { type Service, textOf } from './call.ts'

interface Release {
  readonly tag: string
  /** Markdown. */
  readonly notes: string
}

/** Reads the latest release of this program. */
export interface Releases {
  /** Whether an address is configured. */
  isSet(): boolean
  /** @throws AppError releases_not_set, service_unreachable, service_response_invalid */
  latest(): Promise<Release>
}

interface ReleasesDeps {
  readonly service: Service
  /** Empty = none is configured. */
  readonly url: string
  readonly clock: Clock
}

/** How long a response is used again: GitHub allows 60 calls an hour to clients without a key. */
const freshSeconds = 300

/** https://docs.github.com/en/rest/releases/releases#get-the-latest-release, read 2026-11-22. */
export function createReleases({ service, url, clock }: ReleasesDeps): Releases {
  let last: { readonly release: Release; readonly readAt: number } | null = null

  async function read(): Promise<Release> {
    const response = await service.json({ url, headers: { accept: 'application/vnd.github+json' } })
    const tag = textOf(response['tag_name'])
    if (tag === '') throw new AppError('service_response_invalid', { params: { service: service.name } })
    return { tag, notes: textOf(response['body']) }
  }

  return {
    isSet: () => url !== '',
    async latest() {
      if (url === '') throw new AppError('releases_not_set')
      const now = nowSeconds(clock)
      if (last === null || Math.abs(now - last.readAt) >= freshSeconds) last = { release: await read(), readAt: now }
      return last.release
    },
  }
}
