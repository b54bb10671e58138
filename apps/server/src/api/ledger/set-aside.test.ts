import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, type Endpoint, type InputOf } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { refuseText } from '../../../test/refuse-text.ts'
import { plainLog } from '../../ledger/log-entry.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

interface Account {
  readonly userId: number
  readonly tokenId: number
}

/** Charges a request, whose row of the log has this text. */
async function charge(
  { userId, tokenId }: Account,
  requestId: string,
  { amount, content }: { readonly amount: number; readonly content: string },
) {
  const { ledger } = app.app
  const hold = await ledger.hold({ requestId, userId, tokenId, amount: 100, modelName: 'm' })
  const log = plainLog({ userId, createdAt: 1, type: 2, content, username: 'ann', requestId, quota: amount })
  await ledger.settle(hold, { amount, channelId: 0, log })
}

/** The message of a refused call. */
async function refusal<E extends Endpoint>(endpoint: E, input: InputOf<E>): Promise<string | undefined> {
  const envelope = await app.call(endpoint, input)
  return envelope.success ? undefined : envelope.message
}

async function balanceOf(userId: number): Promise<number> {
  const { quota } = await app.app.store.db.selectFrom('users').select('quota').where('id', '=', userId).executeTakeFirstOrThrow()
  return quota
}

const open = () => app.data(contract.ledger.setAside, { state: 'open', p: 0 })

test('root lists what was set aside, retries it once its cause is gone, or resolves it with another charge', async () => {
  const user = await app.make.user({ quota: 1_000 })
  const { id: tokenId } = await app.make.token(user)
  const userId = user.id
  const accept = await refuseText(app.app.store, 'refused')
  for (const [requestId, amount] of [
    ['first', 10],
    ['second', 20],
  ] as const)
    await charge({ userId, tokenId }, requestId, { amount, content: 'refused' })

  const [second, first] = await open()
  expect([first, second]).toMatchObject([
    { request_id: 'first', user_id: userId, kind: 'settle', amount: 10, held: 100, state: 'open', can_retry: true },
    { request_id: 'second', user_id: userId, kind: 'settle', amount: 20, held: 100, state: 'open', can_retry: true },
  ])
  const { operation } = await app.data(contract.ledger.setAsideOf, { id: first?.id ?? 0 })
  expect(JSON.parse(operation)).toMatchObject({ do: 'settle', settlement: { amount: 10 } })
  expect(await refusal(contract.ledger.retry, { id: first?.id ?? 0 })).toMatch('The database rejected it again')
  expect(await balanceOf(userId)).toBe(1_000)

  await accept()
  expect(await app.data(contract.ledger.retry, { id: first?.id ?? 0 })).toMatchObject({ state: 'retried', charged: 10 })
  expect(await refusal(contract.ledger.resolve, { id: second?.id ?? 0, charge: 101, remark: '' })).toBe(
    'The charge must not exceed 100 quota',
  )
  const resolved = await app.data(contract.ledger.resolve, { id: second?.id ?? 0, charge: 5, remark: 'half a response' })
  expect(resolved).toMatchObject({ state: 'resolved', charged: 5, remark: 'half a response' })
  expect(await refusal(contract.ledger.resolve, { id: second?.id ?? 0, charge: 5, remark: '' })).toBe('This was already resolved')

  expect([await open(), await balanceOf(userId)]).toEqual([[], 1_000 - 15])
  expect(await app.inconsistencies()).toEqual([])
})
