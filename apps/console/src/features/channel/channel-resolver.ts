import { type ChannelRow, channel, type Endpoint, formText, type InputOf, newChannelSettings } from '@sluice/contract'
import type { FieldErrors, Resolver } from 'react-hook-form'
import { currentLocale } from '../../lib/t.ts'
import { inputResolver } from '../../lib/use-input-form.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { type ChannelValues, firstInOrder, missingKeyPart, toInput, valuesOf } from './channel-values.ts'

/** The input of the call; with the id if the channel exists. */
export type ChannelInput = ReturnType<typeof toInput>

/** Checks the form. `null` = a new channel. */
export function resolverFor(stored: ChannelRow | null): Resolver<ChannelValues, unknown, ChannelInput> {
  const { id, config } = { id: stored?.id ?? null, config: stored?.config ?? '' }
  const endpoint: Endpoint = id === null ? channel.create : channel.update
  const check = inputResolver<ChannelValues, ChannelInput>(endpoint, (values) => ({
    ...(id !== null && { id }),
    ...toInput(values, { vendor: vendorByType(values.type), config }),
  }))
  return async (values, context, options) => {
    const result = await check(values, context, options)
    const missing = id === null ? keyError(values) : {}
    const errors = { ...atKeyPart(firstInOrder({ ...missing, ...result.errors }), values), ...addressError(values) }
    // Holds: errors of the check were only removed, or put on fields of the form.
    return Object.keys(errors).length === 0 ? result : { values: {}, errors: errors as FieldErrors<ChannelValues> }
  }
}

/** The changed fields, and those whose stored values cannot be read: what the form has takes their place. A key that was not typed is no change. */
export function changesOf(stored: ChannelRow, { key, ...input }: ChannelInput): InputOf<typeof channel.update> {
  const before: Readonly<Record<string, unknown>> = toInput(valuesOf(stored), { vendor: vendorByType(stored.type), config: stored.config })
  const isLost = (name: string): boolean => stored.unreadable.includes(Object.hasOwn(newChannelSettings, name) ? 'settings' : 'config')
  const lost = new Set(['config', ...Object.keys(newChannelSettings)].filter(isLost))
  const changed = Object.entries(input).filter(([name, value]) => value !== undefined && (lost.has(name) || value !== before[name]))
  return { ...Object.fromEntries(changed), id: stored.id, ...(key !== '' && { key }) }
}

/** A new channel needs a key, unless servers of its vendor may do without one. The contract does not know vendors, so it takes none. */
function keyError(values: ChannelValues): FieldErrors<ChannelValues> {
  const vendor = vendorByType(values.type)
  if (vendor?.key.isOptional === true || toInput(values, { vendor, config: '' }).key.trim() !== '') return {}
  return { key: { type: 'required', message: formText('channel_name_and_key_required', {}, currentLocale()) } }
}

/** Moves the error of a composite key to the field of its first missing part. */
function atKeyPart<E>({ key, ...others }: Readonly<Record<string, E>>, values: ChannelValues) {
  const part = missingKeyPart(values, vendorByType(values.type))
  if (key === undefined) return others
  return part === undefined ? { key, ...others } : { config: { [part]: key }, ...others }
}

/** The base URL is required if the vendor's record has none. */
function addressError({ type, base_url }: ChannelValues): FieldErrors<ChannelValues> {
  if (base_url.trim() !== '' || vendorByType(type)?.routes.baseUrl !== null) return {}
  return { base_url: { type: 'required', message: formText('channel_base_url_required', {}, currentLocale()) } }
}
