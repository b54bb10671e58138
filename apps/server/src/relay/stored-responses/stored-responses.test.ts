import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setClock } from '../../../test/channel-scene.ts'
import { sweepStoredResponses } from './stored-responses.ts'

const clock = setClock()
let app: TestApp
beforeAll(async () => {
  app = await testApp({ clock })
})
afterAll(() => app.close())

test('rows older than 30 days, and content older than its days, are deleted, however many there are, and no others', async () => {
  const { db } = app.app.store
  const now = Math.floor(clock.nowMs() / 1000)
  const row = (id: string, ageDays: number) => ({
    user_id: 1,
    id,
    token_id: 1,
    channel_id: 1,
    key_lookup: 'k',
    created_at: now - ageDays * 86_400,
  })
  const old = Array.from({ length: 2_500 }, (_, index) => row(`resp_${index}`, 31 + (index % 7)))
  for (let start = 0; start < old.length; start += 500) {
    await db
      .insertInto('kept_answers')
      .values(old.slice(start, start + 500))
      .execute()
  }
  await db.insertInto('kept_answers').values(row('resp_new', 29)).execute()
  await db
    .insertInto('kept_answers')
    .values([
      { ...row('own_old', 8), item_sealed: 's' },
      { ...row('own_new', 6), item_sealed: 's' },
    ])
    .execute()
  await sweepStoredResponses(db, clock, { ResponseRetentionDays: 7 })
  expect(await db.selectFrom('kept_answers').select('id').orderBy('id').execute()).toEqual([{ id: 'own_new' }, { id: 'resp_new' }])
})
