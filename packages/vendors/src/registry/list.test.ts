import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { exampleChannel } from '../../test/channel.ts'
import { onTheWire, readJson } from '../../test/files.ts'
import { vendorFiles } from '../../test/vendor-files.ts'
import { authHeaders, withCredential } from '../core/auth.ts'
import { addressAt } from '../core/join-url.ts'
import type { JsonObject } from '../core/json.ts'
import type { Vendor } from '../core/vendor.ts'
import { dialectOf } from './dialect-of.ts'
import { vendorByType, vendors } from './list.ts'
import { defaultPrice } from './models/prices.ts'
import { buildRequest } from './request/build-request.ts'

const golden = new Map(vendorFiles('golden'))
// Holds: the file holds an object.
const chat = readJson(join(import.meta.dir, '../../test/fixtures/chat.json')) as JsonObject
const key = 'the-key-of-the-channel'

/** One golden file: the requests that the fixed chat becomes for one vendor, without and with a stream. */
interface Golden {
  readonly model: string
  readonly whole: unknown
  readonly stream: unknown
}

function upstreamRequest(vendor: Vendor, model: string, stream: boolean) {
  const { vendor: used, facts } = exampleChannel(vendor)
  const params = { kind: 'chat', model, stream, channel: facts } as const
  const {
    path,
    headers,
    body,
    schemaInPrompt: _schema,
    outputMax: _limit,
    stopWords: _words,
    cutAt: _cut,
    oneCall: _one,
    ...rest
  } = buildRequest(used, stream ? { ...chat, stream } : chat, params)
  const url = withCredential(addressAt(facts.baseUrl, path), used, '<key>')
  return { url, headers: { ...headers, ...authHeaders(used, '<key>') }, body, ...rest }
}

/** The vendors that have chats. */
const chatting = vendors.filter(({ dialects }) => dialects.chat !== undefined)

describe('the list', () => {
  test('has each number and each name once', () => {
    for (const field of ['type', 'name'] as const) {
      const values = vendors.map((vendor) => vendor[field])
      expect(new Set(values).size).toBe(values.length)
    }
  })

  test('is found by number', () => {
    expect(vendors.map(({ type }) => vendorByType(type))).toEqual([...vendors])
    expect(vendorByType(-1)).toBeNull()
  })

  test('has a golden file for every vendor with chats, and no other files', () => {
    expect([...golden.keys()].toSorted()).toEqual(chatting.map(({ type }) => type).toSorted())
  })
})

describe.each(chatting.map((vendor) => [vendor.name, vendor] as const))('%s', (_, vendor) => {
  // Holds: the files are written as this interface says; a wrong one fails the comparison.
  const expected = golden.get(vendor.type) as Golden

  test('sends the fixed chat as its golden file says', () => {
    expect(onTheWire(upstreamRequest(vendor, expected.model, false))).toEqual(onTheWire(expected.whole))
  })

  test('requests a stream as its golden file says', () => {
    expect(onTheWire(upstreamRequest(vendor, expected.model, true))).toEqual(onTheWire(expected.stream))
  })

  test('carries the key in one place and nowhere else, or signs with it', () => {
    const { auth } = exampleChannel(vendor).vendor
    const held = [...Object.values(authHeaders({ auth }, key)), withCredential('https://none', { auth }, key)]
    expect(held.filter((value) => value.includes(key))).toHaveLength('signer' in auth ? 0 : 1)
    const { url, headers, body } = upstreamRequest(vendor, expected.model, true)
    const elsewhere = JSON.stringify({ url, headers, body }).replaceAll('<key>', '')
    expect(elsewhere).not.toContain(key)
  })

  test('has an https base URL without a trailing slash, or none', () => {
    expect(vendor.routes.baseUrl ?? 'https://none').toMatch(/^https:\/\/[^/\s]+(?:\/[^/\s]+)*$/)
  })

  test('names what its further setting is, if that has a default', () => {
    if (vendor.otherDefault !== undefined) expect(vendor.otherLabel).toBeDefined()
  })

  test('has a known dialect, a name, a colour and a key hint', () => {
    for (const model of vendor.models.names) expect(dialectOf(vendor, 'chat', model)).not.toBeNull()
    for (const text of [vendor.name, vendor.color, vendor.key.hint]) expect(text.trim()).not.toBe('')
  })

  test('lists each model once, and each has a price', () => {
    expect(new Set(vendor.models.names).size).toBe(vendor.models.names.length)
    expect(vendor.models.names.filter((model) => defaultPrice(model, { yuanPerDollar: 7, nowMs: 0 }) === null)).toEqual([])
    expect(vendor.models.names.filter((model) => /[,\s]/.test(model))).toEqual([])
  })

  test('drops no field that it renames, and renames none to a field that it drops', () => {
    const { drop = [], rename = {} } = vendor.chat ?? {}
    expect(drop.filter((field) => field in rename || Object.values(rename).includes(field))).toEqual([])
  })
})
