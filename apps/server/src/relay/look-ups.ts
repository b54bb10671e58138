import { askedOf, modelLookUp } from '@sluice/vendors/ask'
import { chatDialects } from '@sluice/vendors/dialects'
import { parseJson } from '@sluice/vendors/is-object'
import type { Json } from '@sluice/vendors/json'
import { vendorByType } from '@sluice/vendors/list'
import type { LookUp, LookUpRequest } from '@sluice/vendors/look-up'
import { AppError } from '../lib/app-error.ts'
import type { AttemptDeps } from './attempt.ts'
import { withOwnHeaders } from './channel-settings.ts'
import type { Channel, Channels } from './channels.ts'
import type { Outbound } from './http1/client.ts'
import { decodeBody } from './http1/decode-body.ts'
import { readCapped } from './read-capped.ts'
import type { Relay } from './relay-deps.ts'
import { ForbiddenAddress } from './resolve-guard.ts'
import type { Running } from './running.ts'
import { type Secretive, withoutSecrets } from './without-secrets.ts'

interface LookUpDeps extends Pick<AttemptDeps, 'clock' | 'deadlines' | 'client'> {
  readonly channels: Channels
  readonly running: Running
}

/** What is asked with: a channel, or one that is not saved yet. */
type Target = Pick<Channel, 'vendor' | 'baseUrl' | 'key'> & { readonly settings?: Pick<Channel['settings'], 'proxy' | 'headers'> }

const noSettings: NonNullable<Target['settings']> = { proxy: null, headers: {} }

/** How long one look-up may take, all its requests together: a person waits for it. */
const lookUpMs = 15_000
/** Largest answer; the longest lists of models are a tenth of it. */
const answerBytesMax = 8 * 1024 * 1024
/** Most requests of one look-up, for lists that never end. */
const requestsMax = 20
/** Most models that a list shows. */
const modelsMax = 5_000
/** Names that a channel can carry; others could not be saved. */
const modelForm = /^[\w.:/@+-]{1,256}$/

/** What vendors are asked beside chats. */
export function createLookUps(deps: LookUpDeps): Pick<Relay, 'balanceOf' | 'upstreamModels' | 'upstreamModelsOf'> {
  async function usable(channelId: number): Promise<Channel> {
    const channel = (await deps.channels.current()).all.get(channelId)
    if (channel === undefined) throw new AppError('channel_unusable')
    return channel
  }

  async function models(target: Target): Promise<readonly string[]> {
    const lookUp = modelLookUp(target.vendor)
    if (lookUp === null) throw new AppError('models_not_listed')
    const found = await lookUpAt(target, lookUp, deps)
    return [...new Set(found)]
      .filter((name) => modelForm.test(name))
      .sort()
      .slice(0, modelsMax)
  }

  return {
    async balanceOf(channelId) {
      const channel = await usable(channelId)
      const { askBalance } = channel.vendor
      if (askBalance === undefined) throw new AppError('balance_not_told')
      return await lookUpAt(channel, askBalance, deps)
    },
    upstreamModels: async (channelId) => await models(await usable(channelId)),
    async upstreamModelsOf({ type, key, baseUrl }) {
      const vendor = vendorByType(type)
      const address = baseUrl === '' ? (vendor?.baseUrl ?? null) : baseUrl
      if (vendor === null || address === null) throw new AppError('channel_unusable')
      return await models({ vendor, baseUrl: address, key })
    },
  }
}

async function lookUpAt<Found>(
  { vendor, baseUrl, key, settings = noSettings }: Target,
  lookUp: LookUp<Found>,
  deps: LookUpDeps,
): Promise<Found> {
  const { clock, deadlines, running } = deps
  const asked = askedOf(vendor, { baseUrl, key, nowMs: clock.nowMs() })
  const current: Asking = { key, settings, client: deps.client, isOver: false, outbound: null }
  const stop = (): void => {
    current.isOver = true
    current.outbound?.abort()
  }
  const deadline = deadlines.start(lookUpMs, stop)
  const done = running.begin(stop)
  const answers: Json[] = []
  try {
    while (answers.length < requestsMax) {
      const step = lookUp(asked, answers)
      if ('found' in step) return step.found
      if ('failed' in step) throw refused(step.failed, current)
      answers.push(await ask(step.request, current))
    }
    throw new AppError('upstream_invalid_response')
  } finally {
    deadlines.cancel(deadline)
    done()
  }
}

interface Asking extends Pick<LookUpDeps, 'client'> {
  readonly key: string
  readonly settings: NonNullable<Target['settings']>
  /** Nobody waits for it any more. */
  isOver: boolean
  /** The request that runs now. */
  outbound: Outbound | null
}

/** One request, by the same way as every chat. The address is never told: a key may stand in it. @throws AppError */
async function ask({ method, url, headers }: LookUpRequest, current: Asking): Promise<Json> {
  const { client, key, settings } = current
  try {
    if (current.isOver) throw new AppError('upstream_timeout')
    const sent = withOwnHeaders({ accept: 'application/json', ...headers }, { key, settings })
    current.outbound = client.send({ method, url, headers: sent, body: null, isRepeatable: true, proxy: settings.proxy })
    const response = decodeBody(await current.outbound.response)
    if (response === null) throw new AppError('upstream_invalid_response')
    if (response.status >= 300 && response.status < 400) throw new AppError('upstream_redirect')
    const { bytes, isCut } = await readCapped(response, answerBytesMax)
    const text = new TextDecoder().decode(bytes)
    if (response.status < 200 || response.status >= 300) throw refused(chatDialects.openai.failure(response.status, text).message, current)
    const json = isCut ? undefined : parseJson(text)
    if (json === undefined) throw new AppError('upstream_invalid_response')
    return json
  } catch (cause) {
    if (cause instanceof AppError) {
      current.outbound?.abort()
      throw cause
    }
    if (cause instanceof ForbiddenAddress) throw new AppError('base_url_forbidden', { cause })
    throw new AppError(current.isOver ? 'upstream_timeout' : 'upstream_unreachable', { cause })
  }
}

/** The vendor's own words. It may repeat the key that it refuses, which never leaves the house. */
function refused(words: string, channel: Secretive): AppError {
  return new AppError('upstream_failed', { params: { detail: withoutSecrets(words, channel) } })
}
