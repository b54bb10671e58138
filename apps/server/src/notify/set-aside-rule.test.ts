import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { sql } from 'kysely'
import { type TestApp, testApp } from '../../test/app.ts'
import { testEngine } from '../../test/stores.ts'
import { plainLog } from '../ledger/log-entry.ts'

let app: TestApp
let runJob: (name: string) => Promise<unknown>
beforeAll(async () => {
  app = await testApp({
    schedule: (jobs) => {
      runJob = async (name) => await jobs.find((job) => job.name === name)?.run()
      return () => {}
    },
  })
}, 60_000)
afterAll(() => app.close())

const evaluate = () => runJob('evaluate-rules')
const notices = async () => (await app.data(contract.notification.history, {})).map(({ text }) => text)
const open = async () => await app.data(contract.ledger.setAside, { state: 'open' })
const resolve = (id: number) => app.data(contract.ledger.resolve, { id, charge: 0, remark: '' })

const refusal =
  testEngine === 'postgres'
    ? sql`ALTER TABLE logs ADD CONSTRAINT refused CHECK (type <> 2) NOT VALID`
    : sql`CREATE TRIGGER refused BEFORE INSERT ON logs WHEN NEW.type = 2 BEGIN SELECT RAISE(ABORT, 'no log of requests'); END`
const acceptance = testEngine === 'postgres' ? sql`ALTER TABLE logs DROP CONSTRAINT refused` : sql`DROP TRIGGER refused`

/** Makes the database refuse the charge of one request. */
async function refuseCharge(requestId: string): Promise<void> {
  const user = await app.make.user({ quota: 1_000 })
  const { id: tokenId } = await app.make.token(user)
  const hold = await app.app.ledger.hold({ requestId, userId: user.id, tokenId, amount: 100, modelName: 'm' })
  await refusal.execute(app.app.store.db)
  const log = plainLog({ userId: user.id, createdAt: 1, type: 2, content: '', username: '', requestId, quota: 10 })
  await app.app.ledger.settle(hold, { amount: 10, channelId: 1, log })
  await acceptance.execute(app.app.store.db)
}

test('an alert is sent whenever more charges are set aside, not when fewer are, and again after all were resolved', async () => {
  await app.data(contract.notification.create, { name: 'books', kind: 'set_aside', scope: 'all', threshold: 0, target: 'mail', url: '' })
  await evaluate()
  expect(await notices()).toEqual([])
  await refuseCharge('first')
  await refuseCharge('second')
  await evaluate()
  await evaluate()
  expect(await notices()).toEqual([expect.stringContaining('need a super admin: 2.')])

  const [second] = await open()
  await resolve(second?.id ?? 0)
  await evaluate()
  expect(await notices()).toHaveLength(1)
  await refuseCharge('third')
  await evaluate()
  expect(await notices()).toHaveLength(2)

  for (const { id } of await open()) await resolve(id)
  await evaluate()
  expect((await app.data(contract.notification.list, {})).map(({ is_breached }) => is_breached)).toEqual([false])
  await refuseCharge('fourth')
  await evaluate()
  expect(await notices()).toHaveLength(3)
  expect((await app.data(contract.notification.list, {})).map(({ is_breached }) => is_breached)).toEqual([true])
}, 60_000)
