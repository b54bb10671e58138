import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import type { Running } from '../../lib/running.ts'
import type { Credentials } from '../upstream/credentials.ts'
import type { UpstreamClient, UpstreamResponse } from '../upstream/http1/client.ts'
import { keyedHeaders, mayHaveKey } from '../upstream/run-step.ts'
import type { TaskUpstream } from './task-texts.ts'

// The results of tasks are read from their vendors, with the key only for hosts that may have it.

export interface OpenDeps {
  readonly client: UpstreamClient
  readonly credentials: Credentials
  readonly deadlines: Deadlines
  readonly clock: Clock
  readonly running: Running
}

/** Ends an exchange that is silent, or that a shutdown cuts. */
export interface Watch {
  readonly silence: Deadline
  readonly over: () => void
}

export interface OpenedResult {
  readonly response: UpstreamResponse
  readonly watch: Watch
  readonly abort: () => void
}

export interface ResultRequest {
  readonly channel: TaskUpstream['channel']
  /** `null`: the whole. */
  readonly range: string | null
  /** What else the vendor wants, by names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const redirectsMax = 5
const headMs = 60_000

/** Follows redirects. @throws AppError */
export async function openResult(address: string, { channel, range, headers = {} }: ResultRequest, deps: OpenDeps): Promise<OpenedResult> {
  const credential = await deps.credentials.of(channel)
  let url = address
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const isPublicOnly = !mayHaveKey(url, channel)
    if (isPublicOnly && !isPublicAddress(url)) throw new AppError('task_result_gone')
    const own: Record<string, string> = { accept: '*/*', ...headers, ...(range === null ? {} : { range }) }
    const outbound = deps.client.send({
      method: 'GET',
      url,
      headers: keyedHeaders(url, own, { channel, credential }),
      body: null,
      isRepeatable: true,
      proxy: channel.settings?.proxy ?? null,
      isPublicOnly,
    })
    const abort = outbound.abort.bind(outbound)
    const watch = watching(abort, deps)
    let response: UpstreamResponse
    try {
      response = await outbound.response
    } catch (cause) {
      watch.over()
      throw new AppError('upstream_unreachable', { cause })
    }
    const location = response.header('location')
    if (response.status < 300 || response.status >= 400 || location === null) return { response, watch, abort }
    watch.over()
    response.abort()
    url = URL.parse(location, url)?.href ?? ''
  }
  throw new AppError('upstream_redirect')
}

function watching(abort: () => void, { deadlines, running }: OpenDeps): Watch {
  const silence = deadlines.start(headMs, abort)
  const done = running.begin(abort)
  let isOver = false
  return {
    silence,
    over() {
      if (isOver) return
      isOver = true
      deadlines.cancel(silence)
      done()
    },
  }
}
