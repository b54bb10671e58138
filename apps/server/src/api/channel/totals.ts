import { channelLimits, type StoredSettings, settingCharactersOf } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'

/** What all channels have together. */
export interface ChannelTotals {
  readonly channels: number
  /** Different names of models. */
  readonly models: number
  readonly modelCharacters: number
  readonly settingCharacters: number
  /** Which of these names are none of the counted ones. */
  newModels(names: readonly string[]): readonly string[]
}

/** Texts of a channel as they are stored. */
export interface ChannelTexts extends StoredSettings {
  readonly models: string
}

/** Channels that a call stores with these texts; `before`: the texts that they replace. */
interface Stored {
  readonly texts: ChannelTexts
  readonly count: number
  readonly before?: ChannelTexts
}

/**
 * Refuses what would let all channels together grow beyond the limits. A change that adds nothing to a total is allowed where the total is
 * above its limit already. Other servers may add channels at the same time, so a total may end up slightly above.
 * @param field the member that adds channels
 * @throws AppError channels_too_many, channels_models_too_many, channels_models_too_long, channels_settings_too_long
 */
export function checkTotals(totals: ChannelTotals, stored: readonly Stored[], field: string): void {
  if (stored.length === 0) return
  const growth = (sizeOf: (texts: ChannelTexts) => number): number =>
    stored.reduce((sum, { texts, count, before }) => sum + count * (sizeOf(texts) - (before === undefined ? 0 : sizeOf(before))), 0)
  const channels = stored.reduce((sum, { count, before }) => sum + (before === undefined ? count : 0), 0)
  // What a channel has already is not new, though another server may have stored it after the totals were counted.
  const names = stored.flatMap(({ texts, before }) => {
    const kept = new Set(namesOf(before))
    return namesOf(texts).filter((name) => !kept.has(name))
  })
  const { channels: channelsMax, differentModels, modelCharacters, settingCharacters } = channelLimits
  needRoom({ code: 'channels_too_many', max: channelsMax, total: totals.channels, added: channels, field })
  const newModels = totals.newModels([...new Set(names)]).length
  needRoom({ code: 'channels_models_too_many', max: differentModels, total: totals.models, added: newModels, field: 'models' })
  const added = { models: growth(({ models }) => models.length), settings: growth(settingCharactersOf) }
  needRoom({ code: 'channels_models_too_long', max: modelCharacters, total: totals.modelCharacters, added: added.models, field: 'models' })
  const longest = longestField(stored)
  needRoom({
    ...{ code: 'channels_settings_too_long', max: settingCharacters },
    ...{ total: totals.settingCharacters, added: added.settings, field: longest },
  })
}

/** @throws AppError channels_request_too_large if the channels of one call are too large together */
export function checkCreated(stored: readonly Stored[], field: string): void {
  const size = stored.reduce((sum, { texts, count }) => sum + count * (texts.models.length + settingCharactersOf(texts)), 0)
  if (size <= channelLimits.createdCharacters) return
  const count = stored.reduce((sum, one) => sum + one.count, 0)
  throw new AppError('channels_request_too_large', { params: { count, size, max: channelLimits.createdCharacters }, field })
}

interface Total {
  readonly code: 'channels_too_many' | 'channels_models_too_many' | 'channels_models_too_long' | 'channels_settings_too_long'
  readonly max: number
  readonly total: number
  readonly added: number
  readonly field: string
}

function needRoom({ code, max, total, added, field }: Total): void {
  if (added > 0 && total + added > max) throw new AppError(code, { params: { max, count: total + added }, field })
}

function namesOf(texts: ChannelTexts | undefined): readonly string[] {
  return texts === undefined || texts.models === '' ? [] : texts.models.split(',')
}

/** The member that takes most of the room. */
function longestField(stored: readonly Stored[]): string {
  const longest = stored
    .map(({ texts }) => texts)
    .reduce((one, other) => (settingCharactersOf(other) > settingCharactersOf(one) ? other : one))
  const lengths = {
    model_mapping: longest.model_mapping.length,
    cost_prices: longest.settings_sealed?.length ?? 0,
    other: longest.other.length,
  }
  const [field] = Object.entries(lengths).reduce((one, other) => (other[1] > one[1] ? other : one))
  return field
}
