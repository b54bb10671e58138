import { channelLimits, channelStatus } from '@sluice/contract'
import type { ChannelFacts } from '@sluice/vendors/core/channel-config'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { addressed } from '@sluice/vendors/registry/channel-facts'
import { vendorByType } from '@sluice/vendors/registry/list'
import type { Logger } from 'pino'
import type { Seal } from '../../lib/seal.ts'
import { createSharedValues } from '../../lib/shared-values.ts'
import type { Channel } from '../model/channel.ts'
import type { listChannels } from './channel-queries.ts'
import { readSettings } from './channel-settings.ts'
import { type ChannelTables, createChannelTables } from './channel-tables.ts'

export type ChannelRow = Awaited<ReturnType<typeof listChannels>>[number]

/** Why no request uses a row: a value cannot be read with this master key, or this version does not know its type or finds no address. */
export type UnusedReason = 'unreadable' | 'unusable'

/** A row, and the channel that it describes; `null`: it cannot be used. */
export type OpenedRow =
  | { readonly row: ChannelRow; readonly channel: Channel }
  | { readonly row: ChannelRow; readonly channel: null; readonly reason: UnusedReason }

/**
 * Reads rows. What channels have in common (their models, mappings and settings, which are often copies) is read once and shared: rows that
 * one call created have the same sealed texts.
 */
export function createOpenRow(seal: Seal, log: Logger): (row: ChannelRow) => OpenedRow {
  const tables = createChannelTables()
  const listOf = createSharedValues((text) => ({ text, items: text.split(',') }))
  const sharedName = createSharedNames()
  const modelsOf = createSharedValues((text) => ({ text, names: namesIn(text).map(sharedName) }))
  const configOf = createSharedValues((text) => ({ text, config: text === '' ? '' : seal.open(text, 'channel-config') }))
  const settingsOf = createSharedValues((text) => ({
    text,
    settings: readSettings(text === '' ? '' : seal.open(text, 'channel-settings'), tables),
  }))

  function open(row: ChannelRow, vendor: Vendor): OpenedRow {
    const config = configOf(row.config_sealed)
    const models = modelsOf(row.models)
    const mapping = tables.mappingOf(row.model_mapping)
    const settings = settingsOf(row.settings_sealed)
    const groups = listOf(row.groups)
    const shared = { config_sealed: config.text, models: models.text, model_mapping: mapping.text, settings_sealed: settings.text }
    const form = {
      key: seal.open(row.key_sealed, seal.rowPurpose('channel-key', row.id)),
      base_url: row.base_url,
      config: config.config,
      other: row.other,
    }
    const target = targetOf(form, vendor)
    if (target === null) return { row, channel: null, reason: 'unusable' }
    const channel: Channel = {
      id: row.id,
      name: row.name,
      keySealed: row.key_sealed,
      priority: row.priority,
      weight: row.weight,
      isEnabled: row.status === channelStatus.enabled,
      groups: groups.items,
      ...target,
      models: models.names,
      mapping,
      settings: settings.settings,
    }
    return { row: { ...row, ...shared, groups: groups.text }, channel }
  }

  return (row) => {
    const vendor = vendorByType(row.type)
    if (vendor === null) {
      log.warn({ channel: row.id, type: row.type }, 'channel skipped: type unknown to this version')
      return { row, channel: null, reason: 'unusable' }
    }
    try {
      return open(row, vendor)
    } catch (error) {
      log.error({ channel: row.id, err: error }, 'channel skipped: key not decryptable with this master key')
      return { row, channel: null, reason: 'unreadable' }
    }
  }
}

/** Names of models that are kept to be shared; beyond it they are collected anew. */
const sharedNamesMax = 2 * channelLimits.differentModels

/** Returns the same string for the same name: most channels list the same models, and a string takes more memory than a reference. */
function createSharedNames(): (name: string) => string {
  const names = new Map<string, string>()
  return (name) => {
    const known = names.get(name)
    if (known !== undefined) return known
    if (names.size >= sharedNamesMax) names.clear()
    names.set(name, name)
    return name
  }
}

const namesIn = (models: string): readonly string[] => [...new Set(models.split(',').filter((model) => model !== ''))]

/** A channel as its form describes it. */
export interface UnsavedChannel {
  readonly type: number
  readonly key: string
  /** Empty = the vendor's. */
  readonly base_url: string
  /** As it is stored, not encrypted. */
  readonly config: string
  readonly other: string
  readonly models: string
  readonly model_mapping: string
  /** As they are stored, not encrypted. */
  readonly settings: string
}

/** A channel that is not stored, for a test of it. `null`: its type is unknown, or it has no address. */
export function unsavedChannel(form: UnsavedChannel): Channel | null {
  const vendor = vendorByType(form.type)
  const target = vendor === null ? null : targetOf(form, vendor)
  if (target === null) return null
  const tables: ChannelTables = createChannelTables()
  return {
    ...{ id: 0, name: '', keySealed: '', priority: 0, weight: 0, isEnabled: false, groups: [] },
    ...target,
    models: namesIn(form.models),
    mapping: tables.mappingOf(form.model_mapping),
    settings: readSettings(form.settings, tables),
  }
}

type Form = Pick<UnsavedChannel, 'key' | 'base_url' | 'config' | 'other'>

/** The part of a channel that says how requests reach its vendor. `null`: it has no address. */
function targetOf({ key, base_url, config, other }: Form, vendor: Vendor): Pick<Channel, 'vendor' | keyof ChannelFacts> | null {
  const target = addressed(vendor, { baseUrl: base_url, key, config, other })
  return target === null ? null : { vendor: target.vendor, ...target.facts }
}
