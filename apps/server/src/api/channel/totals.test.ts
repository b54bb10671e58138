import { expect, test } from 'bun:test'
import { channelLimits } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { type ChannelTexts, checkCreated, checkTotals } from './totals.ts'

const texts: ChannelTexts = { models: 'a,b', model_mapping: '', other: '', settings_sealed: '', config_sealed: '' }
const none = { channels: 0, models: 0, modelCharacters: 0, settingCharacters: 0, newModels: (names: readonly string[]) => names }

/** The code and the field of a refusal; `null` = there is none. */
function refusal(check: () => void) {
  try {
    check()
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [error.code, error.options.field]
  }
}

const { channels, differentModels, modelCharacters, settingCharacters } = channelLimits

test('each total has a limit whose refusal names the field', () => {
  const added = [{ texts: { ...texts, model_mapping: '{"a":"b"}' }, count: 2 }]
  const of = (totals: Partial<typeof none>) => refusal(() => checkTotals({ ...none, ...totals }, added, 'key'))
  expect(of({})).toBeNull()
  expect(of({ channels: channels - 2 })).toBeNull()
  expect(of({ channels: channels - 1 })).toEqual(['channels_too_many', 'key'])
  expect(of({ models: differentModels - 2 })).toBeNull()
  expect(of({ models: differentModels - 1 })).toEqual(['channels_models_too_many', 'models'])
  expect(of({ models: differentModels, newModels: () => [] })).toBeNull()
  expect(of({ modelCharacters: modelCharacters - 6 })).toBeNull()
  expect(of({ modelCharacters: modelCharacters - 5 })).toEqual(['channels_models_too_long', 'models'])
  expect(of({ settingCharacters: settingCharacters - 18 })).toBeNull()
  expect(of({ settingCharacters: settingCharacters - 17 })).toEqual(['channels_settings_too_long', 'model_mapping'])
})

test('an edit that adds nothing is allowed where all totals are above their limits', () => {
  const full = { channels: 10 * channels, models: 10 * differentModels, modelCharacters: 2e9, settingCharacters: 2e9 }
  const totals = { ...none, ...full, newModels: () => [] }
  const before = { ...texts, models: 'a,b,c', model_mapping: '{"a":"b"}' }
  expect(refusal(() => checkTotals(totals, [{ texts, count: 1, before }], 'id'))).toBeNull()
  expect(refusal(() => checkTotals(totals, [{ texts: before, count: 1, before }], 'id'))).toBeNull()
  expect(refusal(() => checkTotals(totals, [{ texts: before, count: 1, before: texts }], 'id'))).toEqual([
    'channels_models_too_long',
    'models',
  ])
  expect(refusal(() => checkTotals(totals, [], 'file'))).toBeNull()
})

test('one call stores a limited size: that of a channel, times its keys', () => {
  const large = { ...texts, settings_sealed: 'x'.repeat(16_000) }
  expect(refusal(() => checkCreated([{ texts: large, count: 1_000 }], 'key'))).toBeNull()
  expect(refusal(() => checkCreated([{ texts: { ...large, models: 'x'.repeat(1_000) }, count: 1_000 }], 'key'))).toEqual([
    'channels_request_too_large',
    'key',
  ])
})
