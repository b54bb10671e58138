import { timingSafeEqual } from 'node:crypto'
import { withoutTrailingSlashes } from '@sluice/contract'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import type { Seal } from '../../lib/seal.ts'

/** Addresses that need no token: of results, for players in a page, and of webhooks, where vendors report completed tasks. */
export interface TaskLinks {
  /** The path of a result at this server, with the base path. Whoever has it can fetch this result until it expires. */
  linkTo(publicId: string, index: number): string
  /** Where a task's vendor may report that it is done, at this server's public address; `null`: others cannot reach that. */
  webhookFor(publicId: string): string | null
  isWebhook(publicId: string, query: URLSearchParams): boolean
  /** Where the vendor of a channel may report that any of its tasks is done, for vendors that have one address for all; `null` as above. */
  channelWebhookFor(channelId: number): string | null
  isChannelWebhook(channelId: number, query: URLSearchParams): boolean
  /** Whether a request's query is that of a link which is still valid. */
  isValid(publicId: string, index: number, query: URLSearchParams): boolean
}

interface LinkDeps {
  readonly seal: Pick<Seal, 'lookup'>
  readonly clock: Clock
  /** This server's public address, as the administrator set it. */
  readonly address: () => string
  /** Path below which a proxy publishes the server; empty = the root. */
  readonly basePath: string
}

/** How long a link is valid, and by how much of that its end is rounded, so that a page that is loaded again can use what it has. */
const validSeconds = 3_600
const roundSeconds = 600

export function createTaskLinks({ seal, clock, address, basePath }: LinkDeps): TaskLinks {
  const webhookProof = (publicId: string): string => seal.lookup(publicId, 'task-webhook')
  const channelProof = (channelId: number): string => seal.lookup(String(channelId), 'channel-webhook')
  const atPublicAddress = (path: string): string | null => {
    const base = withoutTrailingSlashes(address())
    return isPublicAddress(base) ? `${base}${path}` : null
  }
  const proofOf = (publicId: string, index: number, expires: string): string =>
    seal.lookup(`${publicId} ${index} ${expires}`, 'task-content')

  return {
    linkTo(publicId, index) {
      const expires = String(Math.ceil((nowSeconds(clock) + validSeconds) / roundSeconds) * roundSeconds)
      const query = new URLSearchParams({ index: String(index), expires, signature: proofOf(publicId, index, expires) })
      return `${basePath}/v1/tasks/${publicId}/content?${query}`
    },
    webhookFor: (publicId) => atPublicAddress(`/v1/tasks/${publicId}/webhook?signature=${webhookProof(publicId)}`),
    channelWebhookFor: (channelId) => atPublicAddress(`/v1/channels/${channelId}/webhook?signature=${channelProof(channelId)}`),
    isChannelWebhook: (channelId, query) => isSame(query.get('signature') ?? '', channelProof(channelId)),
    isWebhook: (publicId, query) => isSame(query.get('signature') ?? '', webhookProof(publicId)),
    isValid(publicId, index, query) {
      const expires = query.get('expires') ?? ''
      if (!/^\d{1,12}$/.test(expires) || Number(expires) < nowSeconds(clock)) return false
      return isSame(query.get('signature') ?? '', proofOf(publicId, index, expires))
    },
  }
}

function isSame(actual: string, expected: string): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
