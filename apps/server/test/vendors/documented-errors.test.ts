import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { kindOf } from '@sluice/vendors/core/kind-of'
import { vendors } from '@sluice/vendors/registry/list'
import { type TestApp, testApp } from '../app.ts'
import { until } from '../server-process.ts'
import { documentedErrors, type ErrorClass, errorClasses } from './documented-errors.ts'

// What each documented error does: the error that the client gets, and what becomes of the channel.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  await app.data(contract.option.update, { key: 'AutomaticDisableChannelEnabled', value: 'true' })
})
afterAll(() => app.close())

const chatting = vendors.filter(({ dialects }) => dialects.chat !== undefined)

test('every channel type with chats has a row for each kind of error, or the reason why not', () => {
  expect(Object.keys(documentedErrors)).toEqual(
    chatting.map(({ type }) => String(type)).toSorted((one, other) => Number(one) - Number(other)),
  )
  for (const { source, errors } of Object.values(documentedErrors)) {
    expect(source).not.toBe('')
    expect(Object.keys(errors).toSorted()).toEqual([...errorClasses].toSorted())
  }
})

/** The error that the client gets, and the status of the channel afterwards: 3 is disabled. */
const outcomes: Readonly<Record<ErrorClass, { readonly client: object; readonly channel: number }>> = {
  'context length': { client: { status: 400, code: 'context_length_exceeded' }, channel: 1 },
  'rate limit': { client: { status: 429 }, channel: 1 },
  'no quota': { client: { status: 502 }, channel: 3 },
  overload: { client: { status: expect.any(Number), code: 'upstream_failed' }, channel: 1 },
  'bad key': { client: { status: 502, code: 'channel_auth_failed' }, channel: 3 },
  'content filter': { client: { status: 400, code: expect.stringMatching(/^content_(?:filter|policy_violation)$/) }, channel: 1 },
}

describe.each(chatting.map(({ type, name, models }) => [type, name, models.names] as const))(
  'an error of type %d, %s,',
  (type, _name, models) => {
    const { channel = {}, errors } = documentedErrors[type] ?? { errors: {} }
    const { key = 'vendor-key', config = '', other = '', model = models.find((one) => kindOf(one) === 'chat') ?? 'any-model' } = channel

    async function scene() {
      const group = `g${crypto.randomUUID().slice(0, 8)}`
      await app.data(contract.channel.create, {
        ...{ type, name: group, group, models: model, key, config, other },
        base_url: app.upstream.url,
      })
      const [row] = await app.data(contract.channel.search, { keyword: group })
      const { key: token } = await app.make.token(await app.make.user({ groups: group }))
      const ask = async () => {
        const headers = { authorization: `Bearer ${token}` }
        const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] })
        const response = await app.request('/v1/chat/completions', { method: 'POST', headers, body })
        // Holds: the response is an error in OpenAI's form, or the comparison fails.
        const { error } = (await response.json()) as { readonly error?: { readonly code: string } }
        return { status: response.status, code: error?.code, wait: response.headers.get('retry-after') }
      }
      return { ask, status: async () => (await app.data(contract.channel.get, { id: row?.id ?? 0 })).status }
    }

    for (const [what, error] of Object.entries(errors)) {
      if (typeof error === 'string') continue
      // Holds: the table has these names.
      const outcome = outcomes[what as ErrorClass]
      test(`that is a ${what} does to the channel what it should`, async () => {
        const { ask, status } = await scene()
        app.upstream.always(() => error.response)
        expect(await ask()).toMatchObject(outcome.client)
        if (outcome.channel === 3) await until(async () => (await status()) === 3)
        expect(await status()).toBe(outcome.channel)
        if (error.wait === undefined) return
        const before = app.upstream.received.length
        expect(await ask()).toMatchObject({ status: 429, wait: String(error.wait) })
        expect(app.upstream.received.length).toBe(before)
      })
    }
  },
)
