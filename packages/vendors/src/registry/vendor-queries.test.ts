import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../test/channel.ts'
import { cryptoFunctions } from '../../test/crypto.ts'
import type { Json } from '../core/json.ts'
import type { Vendor } from '../core/vendor.ts'
import { vendorByType, vendors } from './list.ts'
import { modelQuery, queryContextOf } from './vendor-queries.ts'

function vendorOf(type: number): Vendor {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`there is no vendor ${type}`)
  return vendor
}

function ask(vendor: Vendor, responses: readonly Json[] = [], baseUrl = vendor.routes.baseUrl ?? 'https://upstream.example') {
  const query = modelQuery(vendor)
  if (query === null) throw new Error(`${vendor.name} lists no models`)
  const { vendor: used, facts } = exampleChannel(vendor)
  return query(queryContextOf(used, { facts: { ...facts, baseUrl }, credential: '<key>', nowMs: 0, crypto: cryptoFunctions }), responses)
}

/** The vendors that have a list of models; signed queries are tested beside their signature. */
const listing = vendors.filter((vendor) => modelQuery(vendor) !== null && !('signer' in vendor.auth))

describe.each(listing.map((vendor) => [vendor.name, vendor] as const))('the models of %s', (_, vendor) => {
  test('are requested under its base URL with its key, and read', () => {
    const step = ask(vendor)
    expect(step).toHaveProperty('request')
    if (!('request' in step)) return
    expect(step.request.url).toStartWith(vendor.routes.baseUrl ?? 'https://upstream.example')
    expect(Object.values(step.request.headers).some((value) => value.includes('<key>'))).toBe(true)
    // A list in the forms of all vendors.
    const names = [{ name: 'b' }, { name: 'a' }]
    const list = {
      object: 'list',
      data: [{ id: 'b' }, { id: 'a', object: 'model' }],
      has_more: false,
      models: names,
      publisherModels: names,
      result: names,
    }
    expect(ask(vendor, [list])).toEqual({ result: ['b', 'a'] })
  })

  test('cannot be read from a response that is not a list', () => {
    const unnamed = [null, { name: 7 }, 'x']
    for (const response of [null, 7, 'x', {}, { data: {}, models: {}, publisherModels: {} }])
      expect(ask(vendor, [response])).toEqual({ failed: 'the response is not a list of models' })
    expect(ask(vendor, [{ data: [null, { id: 7 }, 'x'], models: unnamed, publisherModels: unnamed, result: unnamed }])).toEqual({
      result: [],
    })
    expect(ask(vendor, [{ error: { message: 'not with this key' } }])).toEqual({ failed: 'not with this key' })
  })
})

test('a bare array of models is read too', () => {
  expect(ask(vendorOf(8), [[{ id: 'bare' }]])).toEqual({ result: ['bare'] })
})

test('a base URL that ends in a version does not get a second one', () => {
  expect(ask(vendorOf(8), [], 'https://host/api/v4')).toMatchObject({ request: { url: 'https://host/api/v4/models' } })
})

test("a vendor's record may set another path for the list", () => {
  const odd: Vendor = { ...vendorOf(8), routes: { baseUrl: null, paths: { models: '/compatible/v1/models' } } }
  expect(ask(odd, [], 'https://host')).toMatchObject({ request: { url: 'https://host/compatible/v1/models' } })
})

test('a vendor without chat lists no models', () => {
  expect(modelQuery({ ...vendorOf(8), dialects: {} })).toBeNull()
})

test("Anthropic's pages are requested one after another and joined into one list", () => {
  const url = 'https://api.anthropic.com/v1/models?limit=1000'
  const headers = { 'anthropic-version': '2023-06-01', 'x-api-key': '<key>' }
  const first = { data: [{ id: 'a' }], has_more: true, last_id: 'a/1' }
  expect(ask(vendorOf(14))).toEqual({ request: { method: 'GET', url, headers } })
  expect(ask(vendorOf(14), [first])).toEqual({ request: { method: 'GET', url: `${url}&after_id=a%2F1`, headers } })
  expect(ask(vendorOf(14), [first, { data: [{ id: 'b' }], has_more: false }])).toEqual({ result: ['a', 'b'] })
  expect(ask(vendorOf(14), [first, { error: { message: 'slow down' } }])).toEqual({ failed: 'slow down' })
})
