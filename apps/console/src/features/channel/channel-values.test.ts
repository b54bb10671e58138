import { expect, test } from 'bun:test'
import { type ChannelRow, channel, noChannelSettings } from '@sluice/contract'
import { firstInOrder, missingKeyPart, newChannel, toInput, type VendorFields, valuesOf } from './channel-values.ts'

const plain: VendorFields = { routes: { baseUrl: 'https://vendor.example' }, key: { hint: '' } }
const composite: VendorFields = {
  routes: { baseUrl: null },
  configFields: ['ak', 'sk', 'region'],
  key: { hint: '', fields: ['ak', 'sk', 'region'] },
  otherDefault: '2024-03-01-preview',
}
const row: ChannelRow = {
  ...noChannelSettings,
  unreadable: [],
  id: 41,
  type: 7,
  key: '',
  status: 1,
  name: 'azure-eu',
  weight: 3,
  created_time: 1,
  test_time: 0,
  response_time: 0,
  base_url: 'https://x',
  other: '',
  balance: 0,
  balance_updated_time: 0,
  models: 'a,b',
  group: 'default,vip',
  tag: 'europe',
  used_quota: 0,
  model_mapping: '{"a":"b"}',
  priority: -2,
  config: '{"region":"eu","sk":"","own":"kept"}',
}
const config = { ...newChannel(1).config, ak: 'AK', sk: 'SK', region: 'eu-west-1' }

test('a stored channel comes back as it was, with its mapping laid out', () => {
  const values = valuesOf(row)
  expect(values.model_mapping).toBe('{\n  "a": "b"\n}')
  expect(toInput(values, { vendor: plain, config: row.config })).toEqual({
    ...noChannelSettings,
    name: 'azure-eu',
    type: 7,
    key: '',
    base_url: 'https://x',
    other: '',
    models: 'a,b',
    model_mapping: '{\n  "a": "b"\n}',
    group: 'default,vip',
    tag: 'europe',
    config: row.config,
    priority: -2,
    weight: 3,
  })
})

test('a new channel is of the group default, and empty numbers leave the choice to the server', () => {
  const input = toInput({ ...newChannel(1), priority: ' ', weight: '' }, { vendor: plain, config: '' })
  expect(input).toMatchObject({ group: 'default', priority: undefined, weight: undefined, config: '' })
})

test('a weight below zero is zero; what is no number is refused by the contract', () => {
  const inputOf = (priority: string, weight: string) => toInput({ ...newChannel(1), priority, weight }, { vendor: plain, config: '' })
  expect(inputOf('-7', '-7')).toMatchObject({ priority: -7, weight: 0 })
  expect(channel.create.input.safeParse({ ...inputOf('many', '0'), name: 'a', key: 'k', models: 'm' }).success).toBe(false)
})

test('a composite key is its parts in order, or nothing while one is missing', () => {
  const keyOf = (change: object) => toInput({ ...newChannel(1), config: { ...config, ...change } }, { vendor: composite, config: '' }).key
  expect(keyOf({})).toBe('AK|SK|eu-west-1')
  expect(keyOf({ sk: ' ' })).toBe('')
  expect(keyOf({ sk: '{\n  "type": "account"\n}' })).toBe('AK|{ "type": "account" }|eu-west-1')
})

test('the part that a composite key lacks is named', () => {
  expect(missingKeyPart({ config: { ...config, sk: ' ', region: '' } }, composite)).toBe('sk')
  expect(missingKeyPart({ config }, composite)).toBeUndefined()
  expect(missingKeyPart({ config }, plain)).toBeUndefined()
})

test('the configuration holds what the vendor asks for, and what others stored stays', () => {
  const input = toInput({ ...newChannel(1), config }, { vendor: composite, config: row.config })
  expect(JSON.parse(input.config)).toEqual({ region: 'eu-west-1', sk: 'SK', ak: 'AK', own: 'kept' })
})

test('an empty "other" is what the vendor says it is', () => {
  expect(toInput(newChannel(1), { vendor: composite, config: '' }).other).toBe('2024-03-01-preview')
  expect(toInput({ ...newChannel(1), other: '2025-01-01' }, { vendor: composite, config: '' }).other).toBe('2025-01-01')
})

test('checks speak one after the other: name and key, models, mapping; other fields speak for themselves', () => {
  const all = { name: 1, key: 1, models: 1, model_mapping: 1, base_url: 1 }
  expect(Object.keys(firstInOrder(all))).toEqual(['name', 'base_url'])
  expect(Object.keys(firstInOrder({ ...all, name: undefined, key: undefined }))).toContain('models')
  expect(firstInOrder({ model_mapping: 1, priority: 2 })).toEqual({ model_mapping: 1, priority: 2 })
})

test('a raw proxy needs no model, every other type one', () => {
  const refused = (type: number) => {
    const input = { ...toInput(newChannel(type), { vendor: plain, config: '' }), name: 'a', key: 'k' }
    return channel.create.input.safeParse(input).error?.issues.map(({ path }) => path.join('.')) ?? []
  }
  expect(refused(43)).toEqual([])
  expect(refused(1)).toEqual(['models'])
})
