import {
  batchMax,
  type ChannelHealthRow,
  type ChannelRow,
  channelStatus,
  contract,
  newChannelSettings,
  type ParsedInputOf,
  rawProxyType,
} from '@sluice/contract'
import type { StoredFacts } from '@sluice/vendors/registry/channel-facts'
import { vendors } from '@sluice/vendors/registry/list'
import type { Db } from '../../db/connect.ts'
import { lockRow } from '../../db/lock-row.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { createPauses } from '../../lib/pauses.ts'
import { type Seal, sealUnlessEmpty } from '../../lib/seal.ts'
import { assertUnchanged } from '../assert-unchanged.ts'
import type { Audit } from '../audit.ts'
import { mayRunRawProxies } from '../authorize.ts'
import { listChanges } from '../change-queries.ts'
import { implement } from '../implement.ts'
import { changedFields } from './changes.ts'
import { createOpenChannelSecrets, unreadableIn } from './channel-secrets.ts'
import { maskConfig, mergeConfig } from './config.ts'
import { createEditChecks } from './edit-checks.ts'
import { exportChannels } from './export.ts'
import { channelChange } from './history.ts'
import { keysIn, needKey } from './keys.ts'
import { manyChannels } from './many.ts'
import { type PriceDeps, priceCalls } from './price-calls.ts'
import {
  deleteChannel,
  deleteDisabled,
  findChannel,
  insertChannels,
  listChannels,
  type StoredChannel,
  saveBalance,
  sealChannelKey,
  searchChannels,
  updateChannel,
} from './queries.ts'
import { checkProxyRules, checkRawProxyRight } from './raw-proxy-rules.ts'
import { checkRights } from './rights.ts'
import { maskSettings, mergeSettings, newSettings, openedSettings, proxyOf, takeSettings } from './settings.ts'
import { settingsChange } from './settings-change.ts'
import type { ChannelStatusKeeper } from './status.ts'
import { createTargetChecks, type Target, type TargetCheckDeps } from './target-checks.ts'
import { createTestChannel, type Tested } from './test-channel.ts'
import { type ChannelTotals, checkCreated, checkTotals } from './totals.ts'
import { type ReadForeign, transferCalls } from './transfer.ts'
import type { ChannelRunner } from './work.ts'

type ChannelEdit = ParsedInputOf<typeof contract.channel.update>

/** Columns of a channel with their new values. */
type ChannelChange = Partial<Omit<StoredChannel, 'id' | 'used_quota'>>

interface SeenHealth {
  readonly channelId: number
  readonly circuits: readonly {
    readonly model: string
    readonly kind: string
    readonly tokens: number
    readonly state: ChannelHealthRow['state'] | 'closed'
    readonly restMs: number
  }[]
}

type TestedForm = Target &
  Pick<ChannelRow, 'models' | 'model_mapping'> & {
    /** As they are stored, not encrypted. */
    readonly settings: string
  }

interface ChannelDeps extends PriceDeps, TargetCheckDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly audit: Audit
  readonly status: ChannelStatusKeeper
  readonly runner: ChannelRunner
  readonly probe: (channelId: number, model: string) => Promise<Tested>
  readonly probeForm: (form: TestedForm, model: string) => Promise<Tested>
  readonly balanceOf: (channelId: number) => Promise<number>
  readonly upstreamModels: (channelId: number) => Promise<readonly string[]>
  readonly upstreamModelsOf: (channel: StoredFacts & { readonly type: number }) => Promise<readonly string[]>
  /** The address for messages of the vendor about tasks; `null`: none. */
  readonly webhookOf: (channel: { readonly id: number; readonly type: number }) => string | null
  /** The health of channels as requests have found it. */
  readonly health: () => readonly SeenHealth[]
  /** What all channels have together. */
  readonly channelTotals: () => Promise<ChannelTotals>
  /** Notifies the relay that channels have changed. */
  readonly changed: (ids: readonly number[]) => Promise<void>
  /** Reads a channel of another product. */
  readonly readForeign: ReadForeign
}

export const channelApi = (deps: ChannelDeps) => {
  const { db, seal, clock, audit, probeForm, balanceOf, upstreamModels, upstreamModelsOf, health, changed } = deps
  const testChannel = createTestChannel(deps)
  const { checkTarget, checkProxy, checkReach } = createTargetChecks(deps)
  const secrets = createOpenChannelSecrets(seal)
  const checks = createEditChecks({ secrets, checkTarget, checkReach })

  function toRow({ groups, key_sealed, config_sealed, settings_sealed, ...row }: StoredChannel): ChannelRow {
    const opened = secrets.all({ id: row.id, key_sealed, config_sealed, settings_sealed })
    return {
      ...row,
      ...maskSettings(opened.settings ?? ''),
      group: groups,
      key: '',
      config: maskConfig(opened.config ?? ''),
      unreadable: unreadableIn(opened),
    }
  }
  /** In steps: a row may be long. */
  async function toRows(stored: readonly StoredChannel[]): Promise<ChannelRow[]> {
    const pause = createPauses()
    const rows: ChannelRow[] = []
    for (const channel of stored) {
      await pause()
      rows.push(toRow(channel))
    }
    return rows
  }

  async function existing(id: number, from: Db = db): Promise<StoredChannel> {
    const channel = await findChannel(from, id)
    if (channel === undefined) throw noSuchChannel()
    return channel
  }

  /** The columns that an edit changes; members that it does not name stay. */
  function changeOf(stored: StoredChannel, edit: ChannelEdit): ChannelChange {
    const [settingsInput, { id: _id, shown: _shown, key, config, group, status, ...plain }] = takeSettings(edit)
    const named = Object.entries(plain).filter(([, value]) => value !== undefined && value !== null)
    return {
      ...Object.fromEntries(named),
      ...(status === undefined || status === null || status === channelStatus.autoDisabled ? {} : { status }),
      ...(key === undefined || key === null || key.trim() === '' ? {} : { key_sealed: sealChannelKey(seal, stored.id, key.trim()) }),
      ...(group === undefined || group === null ? {} : { groups: group }),
      ...(config === undefined || config === null ? {} : configChange(stored, config)),
      ...settingsChange(seal, secrets.settings(stored.settings_sealed), settingsInput),
    }
  }

  /** Sealing gives a different text each time, so an unchanged configuration is not sealed again. */
  function configChange({ config_sealed: sealed }: StoredChannel, input: string): ChannelChange {
    const before = secrets.config(sealed)
    const after = mergeConfig(before ?? '', input)
    return after === before ? {} : { config_sealed: sealUnlessEmpty(seal, after, 'channel-config') }
  }

  /** An edit in the log and in the history. */
  function edited(before: StoredChannel, after: StoredChannel, fields: readonly string[]) {
    const { id, name } = before
    const params = { id, name, fields: fields.join(', ') }
    return {
      messageKey: 'log_channel_edited',
      params,
      change: channelChange({ before: toRow(before), after: toRow(after), fields }),
    } as const
  }

  return implement(contract.channel, {
    list: async (query) => await toRows(await listChannels(db, query)),
    search: async (query) => await toRows(await searchChannels(db, query)),
    export: ({ keyword, ...query }, _caller, { language }) =>
      exportChannels(query, language, async (step) => {
        const rows = await (keyword === '' ? listChannels(db, { ...query, ...step }) : searchChannels(db, { ...query, ...step, keyword }))
        return await toRows(rows)
      }),
    get: async ({ id }) => toRow(await existing(id)),
    history: async ({ id }) => await listChanges(db, { noun: 'channel', target: String(id) }),
    models: async () =>
      vendors.flatMap(({ name, models }) => models.names.map((id) => ({ id, object: 'model' as const, created: 0, owned_by: name }))),

    health: async () =>
      health().flatMap(({ channelId: channel, circuits }) =>
        circuits.flatMap(({ kind, model, tokens, state, restMs }) =>
          state === 'closed' ? [] : [{ channel, kind, model, tokens, state, rest_seconds: Math.ceil(restMs / 1000) }],
        ),
      ),

    async create(input, caller) {
      const [settingsInput, { key, group, config, ...plain }] = takeSettings(input)
      const settings = newSettings(settingsInput)
      checkRawProxyRight(caller, plain.type)
      checkRights(caller, { ...newChannelSettings, ...plain, isKeyKept: false }, settings)
      checkProxyRules(plain.type, settings)
      checkProxy(settings)
      const keys = keysIn(key, plain.type)
      if (keys.length > batchMax) throw new AppError('channel_keys_too_many', { params: { max: batchMax }, field: 'key' })
      const rest = {
        ...plain,
        groups: group,
        status: channelStatus.enabled,
        created_time: nowSeconds(clock),
        config_sealed: sealUnlessEmpty(seal, config, 'channel-config'),
        ...settingsChange(seal, '', settings),
      }
      const stored = [{ texts: rest, count: keys.length }]
      checkCreated(stored, 'key')
      const pause = createPauses()
      for (const one of keys) {
        await pause()
        checkTarget({ type: plain.type, base_url: plain.base_url, other: plain.other, config, key: one })
      }
      checkTotals(await deps.channelTotals(), stored, 'key')
      await checkReach({ ...plain, proxy: settings.proxy ?? '' })
      const added = keys.map((one) => ({ row: rest, key: one }))
      const ids = await db.transaction().execute(async (tx) => {
        await audit({ actor: caller, messageKey: 'log_channels_created', params: { name: plain.name, count: keys.length } }, tx)
        return await insertChannels(tx, seal, added)
      })
      await changed(ids)
      return { id: ids[0] ?? 0, ids: [...ids] }
    },

    async update(edit, caller) {
      checkProxy(edit)
      const totals = await deps.channelTotals()
      await checks.checkEditedReach(await existing(edit.id), edit)
      await db.transaction().execute(async (tx) => {
        await lockRow(tx, 'channels', edit.id)
        const stored = await existing(edit.id, tx)
        checkRawProxyRight(caller, stored.type, edit.type)
        const isKeyKept = (edit.key ?? '').trim() === ''
        checkRights(caller, { ...openedSettings(secrets.settings(stored.settings_sealed) ?? ''), ...stored, isKeyKept }, edit)
        checks.checkEdit(stored, edit)
        const change = changeOf(stored, edit)
        checkTotals(totals, [{ texts: { ...stored, ...change }, count: 1, before: stored }], 'id')
        assertUnchanged(edit.shown, { stored: toRow(stored), edited: toRow({ ...stored, ...change }) })
        const fields = changedFields(stored, change)
        await updateChannel(tx, edit.id, change)
        const after = fields.length === 0 ? undefined : await findChannel(tx, edit.id)
        if (after !== undefined) await audit({ actor: caller, ...edited(stored, after, fields) }, tx)
      })
      await changed([edit.id])
      return toRow(await existing(edit.id))
    },

    async remove({ id }, caller) {
      const { name, type } = await existing(id)
      checkRawProxyRight(caller, type)
      await db.transaction().execute(async (tx) => {
        if (!(await deleteChannel(tx, id))) throw noSuchChannel()
        await audit({ actor: caller, messageKey: 'log_channel_deleted', params: { id, name } }, tx)
      })
      await changed([id])
      return null
    },

    async removeDisabled(_input, caller) {
      const ids = await db.transaction().execute(async (tx) => {
        const deleted = await deleteDisabled(tx, mayRunRawProxies(caller) ? null : rawProxyType)
        if (deleted.length > 0) await audit({ actor: caller, messageKey: 'log_channels_deleted', params: { count: deleted.length } }, tx)
        return deleted
      })
      await changed(ids)
      return ids.length
    },

    async test({ id, model: requestedModel }, caller) {
      const stored = await existing(id)
      checkRawProxyRight(caller, stored.type)
      const { isOk, elapsedMs, model, message } = await testChannel(stored, requestedModel, caller)
      if (!isOk) throw new AppError('channel_test_failed', { params: { detail: message }, beside: { time: 0, model, modelName: model } })
      return { time: elapsedMs / 1000, model, modelName: model }
    },

    async testForm({ id, model: requestedModel, ...form }, caller) {
      const stored = id === undefined ? null : await existing(id)
      checkRawProxyRight(caller, form.type, stored?.type)
      checkProxy(form)
      if (stored !== null) checks.checkSecretTarget(stored, { id: stored.id, ...form })
      const firstKey = form.key.split('\n').find((line) => line.trim() !== '') ?? ''
      const key = firstKey === '' && stored !== null ? (secrets.key(stored) ?? '') : firstKey.trim()
      needKey(key, form.type, 'channel_key_required')
      const settings = mergeSettings(secrets.settings(stored?.settings_sealed ?? '') ?? '', takeSettings(form)[0])
      const config = mergeConfig(secrets.config(stored?.config_sealed ?? '') ?? '', form.config)
      checkTarget({ ...form, key, config })
      await checkReach({ ...form, proxy: proxyOf(settings) })
      const { isOk, elapsedMs, model, message } = await probeForm({ ...form, key, config, settings }, requestedModel)
      if (!isOk) throw new AppError('channel_test_failed', { params: { detail: message } })
      return { time: elapsedMs / 1000, model }
    },

    async updateBalance({ id }) {
      await existing(id)
      const balance = await balanceOf(id)
      await saveBalance(db, id, { balance, atSeconds: nowSeconds(clock) })
      return { balance }
    },

    async upstreamModels({ id }) {
      await existing(id)
      return [...(await upstreamModels(id))]
    },

    async webhook({ id }) {
      const { type } = await existing(id)
      return { address: deps.webhookOf({ id, type }) ?? '' }
    },

    async upstreamModelsOf({ type, key, base_url: baseUrl, config, other }) {
      needKey(key, type, 'channel_key_required')
      checkTarget({ type, base_url: baseUrl, key, config, other })
      await checkReach({ type, base_url: baseUrl, proxy: '' })
      return [...(await upstreamModelsOf({ type, key, baseUrl, config, other }))]
    },

    ...manyChannels({ ...deps, testChannel }),
    ...{ ...priceCalls(deps), ...transferCalls(deps) },
  })
}

function noSuchChannel(): AppError {
  return new AppError('not_found', { messageKey: 'no_such_channel' })
}
