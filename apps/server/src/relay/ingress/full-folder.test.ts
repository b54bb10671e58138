import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'

// The folder for temporary files is full: bodies that do not fit into memory are refused.

let app: TestApp
let user: TestUser
let key: string
beforeAll(async () => {
  app = await testApp({ env: { FAIL_AT: 'spool-written:1-4:full' } })
  user = await app.make.user({ quota: 1_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  await app.make.channel({ models: 'whisper-1' })
})
afterAll(() => app.close())

const large = new Uint8Array(1024 * 1024)

function form(): FormData {
  const body = new FormData()
  body.set('model', 'whisper-1')
  body.set('file', new File([large], 'a.wav', { type: 'audio/wav' }))
  return body
}

test.each([
  ['/v1/audio/transcriptions', form],
  ['/v1/oneapi/proxy/', () => large],
] as const)('a body for %s is refused with a message, not charged, and not sent (F39)', async (path, body) => {
  const proxy = path.endsWith('/') ? await app.make.channel({ type: 43, models: '' }) : null
  for (let time = 0; time < 2; time += 1) {
    const headers = { authorization: `Bearer ${key}` }
    const response = await app.request(proxy === null ? path : `${path}${proxy}/x`, { method: 'POST', headers, body: body() })
    expect([response.status, await response.json()]).toMatchObject([503, { error: { code: 'storage_full', type: 'api_error' } }])
    expect(response.headers.get('retry-after')).toBe('5')
  }
  expect(app.upstream.received).toHaveLength(0)
  expect(await app.data(contract.log.list, { type: 2 })).toEqual([])
  expect((await app.data(contract.account.self, {}, user)).quota).toBe(1_000_000)
})

test('a folder that fails in another way is no error of the request either', async () => {
  const broken = await testApp({ env: { FAIL_AT: 'spool-written:1:io' } })
  const member = await broken.make.user({ quota: 1_000_000 })
  const headers = { authorization: `Bearer ${(await broken.make.token(member, { isUnlimited: true })).key}` }
  await broken.make.channel({ models: 'whisper-1' })
  const response = await broken.request('/v1/audio/transcriptions', { method: 'POST', headers, body: form() })
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { error: { code: 'temporary_files_unavailable', type: 'api_error' } },
  ])
  expect(response.headers.get('retry-after')).toBe('5')
  expect(broken.upstream.received).toHaveLength(0)
  await broken.close()
})

test('bodies that fit into memory are accepted all the time, and all bodies once there is space again', async () => {
  const headers = { authorization: `Bearer ${key}` }
  const response = await app.request('/v1/audio/transcriptions', { method: 'POST', headers, body: form() })
  expect(response.status).not.toBe(503)
  expect(await app.inconsistencies()).toEqual([])
})
