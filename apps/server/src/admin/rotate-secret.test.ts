import { expect, test } from 'bun:test'
import { openTestStore } from '../../test/stores.ts'
import { plainLog } from '../ledger/log-entry.ts'
import { readOperation, toSetAside } from '../ledger/set-aside.ts'
import { noFailpoints } from '../lib/failpoints.ts'
import { openSeal } from './open-seal.ts'
import { rotateSecret } from './rotate-secret.ts'

test('the result of a task whose charge was set aside is sealed with the new master key, and nothing else of it changes', async () => {
  const store = await openTestStore()
  const { db } = store
  const place = { secret: 'the first master key', nextSecret: 'the second master key', dataDir: '' }
  const before = await openSeal(db, place)
  const hold = { requestId: 'r', userId: 1, tokenId: 1, amount: 100 }
  const end = { publicId: 'video_1', state: 'completed', progress: 100, errorCode: '', errorMessage: '', expiresAt: 0 } as const
  const task = { ...end, resultSealed: before.seal('the result 视频', 'task:video_1') }
  const log = plainLog({ userId: 1, createdAt: 1, type: 2, content: 'caf\u00e9', username: 'ann', requestId: 'r', quota: 10 })
  const ending = { do: 'settle', hold, settlement: { amount: 10, channelId: 1, log, task } } as const
  const none = { user: 0, token: 0 }
  const aside = toSetAside(ending, new Error('refused'), { isOwned: true, held: 100, kept: none, freed: none })
  const { kind, amount, held, operation } = aside
  const ids = { request_id: aside.requestId, user_id: aside.userId, token_id: aside.tokenId, task_id: aside.taskId }
  const columns = { ...ids, kind, amount, held, operation, error_code: '', error_message: '', created_at: 1 }
  await db.insertInto('ledger_set_aside').values(columns).execute()

  expect(await rotateSecret({ db, place, initialAccessToken: '', reached: noFailpoints, confirm: async () => true })).toMatchObject({
    is: 'rotated',
    unreadable: 0,
  })
  const after = await openSeal(db, { ...place, secret: place.nextSecret, nextSecret: '' })
  const stored = await db.selectFrom('ledger_set_aside').select('operation').executeTakeFirstOrThrow()
  const kept = readOperation(stored.operation)
  if (kept?.do !== 'settle' || kept.settlement.task === undefined) throw new Error('the operation is another one')
  const { resultSealed, ...others } = kept.settlement.task
  expect(after.open(resultSealed, 'task:video_1')).toBe('the result 视频')
  expect(() => before.open(resultSealed, 'task:video_1')).toThrow()
  expect({ ...kept, settlement: { ...kept.settlement, task: others } }).toEqual({
    ...ending,
    settlement: { ...ending.settlement, task: end },
  })
  await store.close()
})
