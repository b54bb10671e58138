import { type ChannelRow, channelStatus, contract, type ParsedInputOf, rawProxyType } from '@sluice/contract'
import { vendorByType, vendors } from '@sluice/vendors/list'
import type { Updateable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { ChannelTable } from '../../db/schema.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { isForbiddenTarget } from '../../lib/egress.ts'
import type { Seal } from '../../lib/seal.ts'
import { implement } from '../implement.ts'
import { maskConfig, mergeConfig } from './config.ts'
import { deleteChannel, findChannel, insertChannels, listChannels, type StoredChannel, searchChannels, updateChannel } from './queries.ts'

/** What a test of a channel found. */
interface Probed {
  readonly isOk: boolean
  readonly elapsedMs: number
  readonly model: string
  readonly message: string
}

interface ChannelDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly probe: (channelId: number, model: string) => Promise<Probed>
  /** Tells the relay that channels are not what they were. */
  readonly changed: () => void
  readonly ownPort: () => number
}

export const channelApi = ({ db, seal, clock, probe, changed, ownPort }: ChannelDeps) => {
  const toRow = ({ groups, config_sealed, ...row }: StoredChannel): ChannelRow => ({
    ...row,
    group: groups,
    key: '',
    config: maskConfig(openConfig(config_sealed)),
  })
  const openConfig = (sealed: string): string => (sealed === '' ? '' : seal.open(sealed, 'channel-config'))
  const sealKey = (key: string): string => seal.seal(key, 'channel-key')

  async function existing(id: number): Promise<StoredChannel> {
    const channel = await findChannel(db, id)
    if (channel === undefined) throw new AppError('not_found', { params: { what: 'channel' } })
    return channel
  }

  /** @throws AppError where the pair of type and address cannot be relayed to */
  function checkTarget(type: number, baseUrl: string): void {
    const vendor = vendorByType(type)
    if (vendor === null) throw new AppError('channel_type_unknown')
    const address = baseUrl === '' ? vendor.baseUrl : baseUrl
    if (address === null) throw new AppError('channel_base_url_required')
    if (isForbiddenTarget(address, ownPort())) throw new AppError('base_url_forbidden')
  }

  /** The columns that an edit touches; what it does not name stays. */
  function changeOf(stored: StoredChannel, edit: ParsedInputOf<typeof contract.channel.update>): Updateable<ChannelTable> {
    const { id: _id, key, config, group, status, ...plain } = edit
    const named = Object.entries(plain).filter(([, value]) => value !== undefined && value !== null)
    return {
      ...Object.fromEntries(named),
      ...(status === undefined || status === null || status === channelStatus.autoDisabled ? {} : { status }),
      ...(key === undefined || key === null || key.trim() === '' ? {} : { key_sealed: sealKey(key.trim()) }),
      ...(group === undefined || group === null ? {} : { groups: group }),
      ...(config === undefined || config === null
        ? {}
        : { config_sealed: seal.seal(mergeConfig(openConfig(stored.config_sealed), config), 'channel-config') }),
    }
  }

  return implement(contract.channel, {
    list: async ({ p }) => (await listChannels(db, p)).map(toRow),
    search: async ({ keyword }) => (await searchChannels(db, keyword)).map(toRow),
    get: async ({ id }) => toRow(await existing(id)),
    models: async () =>
      vendors.flatMap(({ name, models }) => models.map((id) => ({ id, object: 'model' as const, created: 0, owned_by: name }))),

    async create({ key, group, config, ...plain }) {
      checkTarget(plain.type, plain.base_url)
      const keys = key.split('\n').map((line) => line.trim())
      const rest = {
        ...plain,
        groups: group,
        status: channelStatus.enabled,
        created_time: nowSeconds(clock),
        config_sealed: seal.seal(config, 'channel-config'),
      }
      await insertChannels(
        db,
        keys.filter((line) => line !== '').map((line) => ({ ...rest, key_sealed: sealKey(line) })),
      )
      changed()
      return null
    },

    async update(edit) {
      const stored = await existing(edit.id)
      const type = edit.type ?? stored.type
      if (edit.type !== undefined || edit.base_url !== undefined) checkTarget(type, edit.base_url ?? stored.base_url)
      if ((edit.models ?? stored.models) === '' && type !== rawProxyType) throw new AppError('channel_models_required')
      await updateChannel(db, edit.id, changeOf(stored, edit))
      changed()
      return toRow(await existing(edit.id))
    },

    async remove({ id }) {
      if (!(await deleteChannel(db, id))) throw new AppError('not_found', { params: { what: 'channel' } })
      changed()
      return null
    },

    async test({ id, model }) {
      const probed = await probe(id, model)
      if (!probed.isOk)
        throw new AppError('channel_test_failed', { params: { detail: probed.message }, beside: { time: 0, model: probed.model } })
      return { time: probed.elapsedMs / 1000, model: probed.model }
    },
  })
}
