import * as z from 'zod/mini'
import { changeRow } from './change.ts'
import { channelBaselineFields } from './channel-baseline.ts'
import {
  baseUrl,
  config,
  group,
  maybe,
  missingIs0,
  modelMapping,
  models,
  name,
  orEmpty,
  priority,
  status,
  tag,
  type,
  unsavedKey,
  weight,
} from './channel-fields.ts'
import { key, newKey } from './channel-key.ts'
import { channelBoardRow, channelHealthRow, channelTestRow, channelWork } from './channel-reports.ts'
import { channelSettingsInput, channelSettingsRow, channelUnreadable } from './channel-settings.ts'
import { channelFile, channelFileParams, importParams, importReport } from './channel-transfer.ts'
import { exportParams, fileStream } from './csv.ts'
import { endpoint } from './endpoint.ts'
import {
  baselineFields,
  byId,
  commaListOf,
  id,
  idList,
  isModelName,
  lengthMax,
  modelNameMax,
  noInput,
  nothing,
  page,
  queryNumber,
  says,
  search,
  searchText,
  text,
  textOf,
} from './parts.ts'
import { priceChoice, priceRule } from './price-rules.ts'

/** Channel status (specification, section 4): an administrator sets 2, the server sets 3. */
export const channelStatus = { enabled: 1, disabled: 2, autoDisabled: 3 } as const

/** The raw-proxy type needs no model list (specification, section 5). */
export const rawProxyType = 43

/** The model that a test of a channel uses if the channel has it (specification, section 2); otherwise the first of the channel. */
export const preferredTestModel = 'gpt-3.5-turbo'

export const channelRow = z.object({
  id: z.int(),
  type: z.int(),
  /** Always empty: a stored key is never sent. */
  key: z.string(),
  status: z.int(),
  name: z.string(),
  weight: z.int(),
  created_time: z.int(),
  test_time: z.int(),
  /** Milliseconds; 0 = untested. */
  response_time: z.int(),
  base_url: z.string(),
  other: z.string(),
  balance: z.number(),
  balance_updated_time: z.int(),
  models: z.string(),
  group: z.string(),
  /** Of channels that belong together; empty = none. */
  tag: z.string(),
  used_quota: z.int(),
  /** JSON object text: requested model -> upstream model. */
  model_mapping: z.string(),
  priority: z.int(),
  /** JSON object text; secret members are blank. */
  config: z.string(),
  ...channelSettingsRow,
  unreadable: channelUnreadable,
})
export type ChannelRow = z.output<typeof channelRow>

/** A row in an exported file: without what may hold secrets. */
export const exportedChannel = z.omit(channelRow, { key: true, config: true, headers: true, proxy: true, system_prompt: true })

/** The ids of new channels, in the order of their keys; `id` is that of the first. */
const createdChannels = z.object({ id: z.int(), ids: z.array(z.int()) })

/** Checked here if the input has both fields. An edit with the models alone is checked by the server, which knows the stored type. */
const needsModels = z.refine<{ readonly type?: number | null | undefined; readonly models?: string | null | undefined }>(
  ({ type, models }) => models !== '' || (type ?? rawProxyType) === rawProxyType,
  { error: says('channel_models_required'), path: ['models'] },
)

/** How many tests are stored for each channel, and the most channels that one call returns tests of. */
export const channelTestsKept = 20
const historyChannelsMax = 100

/** Most channels that the board has: their rows are about a megabyte. */
export const channelBoardMax = 10_000

/** Most channels that one call creates. */
export const batchMax = 1_000

/** Missing and empty mean all: compatible consoles send it so. */
const scope = z._default(
  z.pipe(
    z.transform((value) => value || 'all'),
    z.enum(['all', 'disabled']),
  ),
  'all',
)

/** Filters of the list and the search; 0 and empty mean all. */
const filters = { status: queryNumber, type: queryNumber, group: searchText }

const modelNames = z.array(z.string())
const modelList = z.object({
  models: commaListOf(65_536, 'invalid_parameter'),
})

const modelRow = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
})

export const channel = {
  list: endpoint({ method: 'GET', path: '/api/channel/', access: 'admin', input: z.extend(page, filters), data: z.array(channelRow) }),
  search: endpoint({
    method: 'GET',
    path: '/api/channel/search',
    access: 'admin',
    input: z.extend(search, filters),
    data: z.array(channelRow),
  }),
  /** All matching rows as a file, newest first, without keys and other secrets. */
  export: endpoint({
    method: 'GET',
    path: '/api/channel/export',
    access: 'admin',
    input: z.object({ keyword: searchText, ...filters, ...exportParams }),
    data: fileStream,
    fileRow: exportedChannel,
  }),
  /** A file of channels that another server imports, without keys and other secrets. */
  exportFile: endpoint({ method: 'POST', path: '/api/channel/export', access: 'admin', input: channelFileParams, data: channelFile }),
  /** A file of channels with their keys. Needs a recent login. */
  exportKeys: endpoint({
    method: 'POST',
    path: '/api/channel/export/keys',
    access: 'root',
    input: channelFileParams,
    data: channelFile,
    needsSession: true,
  }),
  /** Adds the channels of a file, or says what it would add. The rows are added last to first, so that a list has the order of the file. */
  importFile: endpoint({ method: 'POST', path: '/api/channel/import', access: 'admin', input: importParams, data: importReport }),
  models: endpoint({ method: 'GET', path: '/api/channel/models', access: 'admin', input: noInput, data: z.array(modelRow) }),
  /** Tests the channels of a scope one after another in the background. While a run is under way, no second one starts. */
  testAll: endpoint({
    method: 'GET',
    path: '/api/channel/test',
    access: 'admin',
    input: z.object({ scope }),
    data: channelWork,
    sideEffect: true,
  }),
  /** Progress of the run that `testAll` or `updateBalances` started. */
  progress: endpoint({ method: 'GET', path: '/api/channel/progress', access: 'admin', input: noInput, data: channelWork }),
  /** The last edits of a channel, newest first. */
  history: endpoint({ method: 'GET', path: '/api/channel/:id/history', access: 'admin', input: byId, data: z.array(changeRow) }),
  /** The last tests of some channels, newest first. */
  tests: endpoint({
    method: 'GET',
    path: '/api/channel/tests',
    access: 'admin',
    input: z.object({ ids: idList(historyChannelsMax) }),
    data: z.array(channelTestRow),
  }),
  /** Every channel in one response, newest first: as many as `channelBoardMax`. */
  board: endpoint({ method: 'GET', path: '/api/channel/board', access: 'admin', input: noInput, data: z.array(channelBoardRow) }),
  /** Circuits and pauses of now; a channel without a row has none. */
  health: endpoint({ method: 'GET', path: '/api/channel/health', access: 'admin', input: noInput, data: z.array(channelHealthRow) }),
  /** `time` and `model` are also beside `data` in the response, where compatible consoles read them; some read `modelName`. */
  test: endpoint({
    method: 'GET',
    path: '/api/channel/test/:id',
    access: 'admin',
    input: z.extend(byId, { model: searchText }),
    data: z.object({ /** Seconds. */ time: z.number(), model: z.string(), modelName: z.string() }),
    sideEffect: true,
    besideData: true,
  }),
  /** Asks vendors for the balances of the enabled channels, one after another in the background, as far as vendors report a balance. */
  updateBalances: endpoint({
    method: 'GET',
    path: '/api/channel/update_balance',
    access: 'admin',
    input: noInput,
    data: channelWork,
    sideEffect: true,
  }),
  /** `balance` is also beside `data`. Its unit is the vendor's. */
  updateBalance: endpoint({
    method: 'GET',
    path: '/api/channel/update_balance/:id/',
    access: 'admin',
    input: byId,
    data: z.object({ balance: z.number() }),
    sideEffect: true,
    besideData: true,
  }),
  /**
   * Tests a channel as its form describes it, before it is saved; nothing is stored. With the id of a channel, secrets that the form
   * leaves empty are the stored ones.
   */
  testForm: endpoint({
    method: 'POST',
    path: '/api/channel/test',
    access: 'admin',
    input: z.object({
      id: z.optional(id),
      model: textOf(modelNameMax, 'model_name_invalid'),
      type,
      key: orEmpty(newKey),
      models: orEmpty(models),
      model_mapping: orEmpty(modelMapping),
      base_url: orEmpty(baseUrl),
      other: text,
      config: orEmpty(config),
      ...channelSettingsInput,
    }),
    data: z.object({ /** Seconds. */ time: z.number(), model: z.string() }),
  }),
  /** Names of the models that the key of a channel may use, as its vendor lists them now. */
  upstreamModels: endpoint({
    method: 'GET',
    path: '/api/channel/:id/upstream_models',
    access: 'admin',
    input: byId,
    data: modelNames,
    sideEffect: true,
  }),
  /** The models that the vendor of a channel which is not saved yet lists. */
  upstreamModelsOf: endpoint({
    method: 'POST',
    path: '/api/channel/upstream_models',
    access: 'admin',
    input: z.object({ type, key: unsavedKey, base_url: orEmpty(baseUrl), other: text, config: orEmpty(config) }),
    data: modelNames,
  }),
  /** The webhook address to enter at the vendor, which calls it when a task ends. Empty: the vendor has no webhooks, or `ServerAddress` is not public. */
  webhook: endpoint({
    method: 'GET',
    path: '/api/channel/:id/webhook',
    access: 'admin',
    input: byId,
    data: z.object({ address: z.string() }),
  }),
  /** Of the given models, or without any of those of all channels, the ones without a price: requests for them are refused. */
  unpriced: endpoint({
    method: 'GET',
    path: '/api/channel/unpriced',
    access: 'admin',
    input: modelList,
    data: modelNames,
  }),
  /** The vendors' list prices of these models, as cost prices of a channel; models without one are left out. */
  listPrices: endpoint({
    method: 'GET',
    path: '/api/channel/list_prices',
    access: 'admin',
    input: modelList,
    data: z.record(z.string(), priceRule),
  }),
  /** Sets the price of a model, for every channel that has it: as a row of the option `PriceRules`. */
  setPrice: endpoint({
    method: 'PUT',
    path: '/api/channel/price',
    access: 'admin',
    input: z.object({
      model: z
        .string(says('model_name_invalid'))
        .check(lengthMax(modelNameMax, 'model_name_invalid'), z.refine(isModelName, says('model_name_invalid'))),
      price: priceChoice,
    }),
    data: nothing,
  }),
  get: endpoint({ method: 'GET', path: '/api/channel/:id', access: 'admin', input: byId, data: channelRow }),
  /**
   * Creates one channel for each line of `key` that is not blank. An empty `key` is for types that need none. A key that is composed of
   * members of the configuration may have several lines itself.
   */
  create: endpoint({
    method: 'POST',
    path: '/api/channel/',
    access: 'admin',
    input: z
      .object({
        name,
        key: z._default(key, ''),
        type,
        models: orEmpty(models),
        model_mapping: orEmpty(modelMapping),
        base_url: orEmpty(baseUrl),
        other: text,
        group: orEmpty(group),
        tag: orEmpty(tag),
        config: orEmpty(config),
        priority: z._default(z.pipe(missingIs0, priority), 0),
        weight: z._default(z.pipe(missingIs0, weight), 0),
        ...channelSettingsInput,
      })
      .check(needsModels),
    data: createdChannels,
  }),
  /** Full or partial: missing and null fields stay unchanged. An empty key keeps the stored one. */
  update: endpoint({
    method: 'PUT',
    path: '/api/channel/',
    access: 'admin',
    input: z
      .object({
        id,
        name: maybe(name),
        key: maybe(newKey),
        type: maybe(type),
        models: maybe(models),
        model_mapping: maybe(modelMapping),
        base_url: maybe(baseUrl),
        other: maybe(z.string().check(lengthMax(65_536, 'text_too_long'))),
        group: maybe(group),
        tag: maybe(tag),
        config: maybe(config),
        priority: maybe(priority),
        weight: maybe(weight),
        status: maybe(status),
        ...channelSettingsInput,
        shown: baselineFields(channelRow, channelBaselineFields),
      })
      .check(needsModels),
    data: channelRow,
  }),
  /** Removes all disabled channels, whoever disabled them. @returns how many */
  removeDisabled: endpoint({ method: 'DELETE', path: '/api/channel/disabled', access: 'admin', input: noInput, data: z.int() }),
  remove: endpoint({ method: 'DELETE', path: '/api/channel/:id/', access: 'admin', input: byId, data: nothing }),
}
