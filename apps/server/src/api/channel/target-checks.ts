import { type ChannelRow, isWholeKey } from '@sluice/contract'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { addressed, lackingMember, type StoredFacts } from '@sluice/vendors/registry/channel-facts'
import { isWordOrParts, mayBeOwn } from '@sluice/vendors/registry/key-shape'
import { vendorByType } from '@sluice/vendors/registry/list'
import { AppError } from '../../lib/app-error.ts'
import { isForbiddenTarget } from '../../lib/egress.ts'
import type { SettingsInput } from './settings.ts'

/** What decides how requests reach a channel's vendor. The configuration is as it is stored, not encrypted. */
export type Target = Pick<ChannelRow, 'type' | 'key' | 'base_url' | 'config' | 'other'>

export interface TargetChecks {
  /** @throws AppError when requests cannot be sent to this type and address */
  readonly checkTarget: (target: Target) => void
  /** @throws AppError when requests may not go through this proxy */
  readonly checkProxy: (settings: Pick<SettingsInput, 'proxy'>) => void
  /** Resolves names. @throws AppError when the address or the proxy is in a private network that is not allowed, or forbidden */
  readonly checkReach: (way: Way) => Promise<void>
}

interface Way {
  readonly type: number
  /** Empty = the address of the type. */
  readonly base_url: string
  /** Empty = none. */
  readonly proxy: string
}

export interface TargetCheckDeps {
  readonly ownPort: () => number
  /** What forbids a channel to go to an address, through a proxy if it has one; `null` = nothing. */
  readonly refusalOf: (way: {
    readonly address: string
    readonly proxy: string
  }) => Promise<{ readonly part: 'address' | 'proxy'; readonly isPrivate: boolean } | null>
}

export function createTargetChecks({ ownPort, refusalOf }: TargetCheckDeps): TargetChecks {
  return {
    checkTarget({ type, base_url: baseUrl, ...rest }) {
      const vendor = vendorByType(type)
      if (vendor === null) throw new AppError('channel_type_unknown')
      checkKey(vendor, { baseUrl, ...rest })
      if (vendor.needsOther === true && rest.other.trim() === '')
        throw new AppError('channel_other_required', { params: { label: vendor.otherLabel ?? '' }, field: 'other' })
      const upstream = addressed(vendor, { baseUrl, ...rest })
      if (upstream === null) throw withoutAddress(vendor, { baseUrl, ...rest })
      if (isForbiddenTarget(upstream.facts.baseUrl, ownPort())) throw new AppError('base_url_forbidden', { field: 'base_url' })
    },
    checkProxy({ proxy }) {
      if (proxy === undefined || proxy === null || proxy === '') return
      // The scheme only names the proxy's protocol; its address is checked like any other.
      if (isForbiddenTarget(proxy.replace(/^socks5:/, 'http:'), ownPort())) throw new AppError('proxy_forbidden', { field: 'proxy' })
    },
    async checkReach({ type, base_url, proxy }) {
      const address = addressOf({ type, base_url })
      const refusal = await refusalOf({ address, proxy })
      if (refusal === null) return
      const isProxy = refusal.part === 'proxy'
      const host = URL.parse(isProxy ? proxy.replace(/^socks5:/, 'http:') : address)?.host ?? ''
      if (refusal.isPrivate) throw new AppError(isProxy ? 'proxy_private' : 'base_url_private', { params: { host } })
      throw new AppError(isProxy ? 'proxy_forbidden' : 'base_url_forbidden', { field: isProxy ? 'proxy' : 'base_url' })
    },
  }
}

/** The address of a channel: its own, or that of its type. */
export function addressOf({ type, base_url }: Pick<Way, 'type' | 'base_url'>): string {
  return base_url === '' ? (vendorByType(type)?.routes.baseUrl ?? '') : base_url
}

/** Why a channel has no address, and which field would give it one. */
function withoutAddress(vendor: Vendor, stored: StoredFacts): AppError {
  if (vendor.routes.baseUrl === null) return new AppError('channel_base_url_required', { field: 'base_url' })
  const lacking = lackingMember(vendor, stored)
  const field = lacking === null ? 'base_url' : `config.${lacking}`
  return new AppError('channel_config_incomplete', { params: { address: vendor.routes.baseUrl }, field })
}

/** For a key with a missing part, the error shows the whole shape, where the type has one. Each line of a text is a key. */
function checkKey(vendor: Vendor, stored: StoredFacts): void {
  const { key } = stored
  if (key === '') return
  const { isValid, hint, hintZh = hint } = vendor.key
  const shape = { en: hint, zh: hintZh }
  const lines = (vendor.key.fields === undefined ? key.split('\n') : [key]).map((line) => line.trim()).filter((line) => line !== '')
  if (!lines.every((line) => isWordOrParts(vendor, line))) throw new AppError('channel_key_word', { params: { shape }, field: 'key' })
  if (!lines.every((line) => mayBeOwn(vendor, line, stored))) throw new AppError('channel_key_own', { params: { shape }, field: 'key' })
  if (isValid?.(key) === false || (isValid !== undefined && !isWholeKey(key)))
    throw new AppError('channel_key_shape', { params: { shape }, field: 'key' })
  if (!isWholeKey(key)) throw new AppError('channel_key_incomplete', { field: 'key' })
}
