import { afterAll, expect, test } from 'bun:test'
import { contract, type DeliveryRow } from '@sluice/contract'
import { connectStore } from '../src/db/connect-store.ts'
import { createCluster } from './node-cluster.ts'
import { startPostgres } from './postgres-server.ts'
import { createServerPlace } from './server-place.ts'
import { type ServerProcess, startServer, until } from './server-process.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

// A notification reaches its receiver although the process that should send it dies, and once although several processes could.

const { place, accessToken, variables, remove } = await createServerPlace('notifications')
const receiver = startWebhookReceiver()
afterAll(async () => {
  await remove()
  await receiver.close()
})

/** More than the first account has. */
const rule = { name: 'low', kind: 'balance', scope: 'own', threshold: 1_000_000_000_000_000, target: 'webhook', url: receiver.url } as const

async function call<Data>(server: ServerProcess, method: string, path: string, body?: object): Promise<Data> {
  const bodyInit = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(server.url + path, { method, headers: { authorization: accessToken }, ...bodyInit })
  // Holds: every response of the management API is an envelope, and the callers know its data.
  return ((await response.json()) as { readonly data: Data }).data
}

test('a notification whose process is killed before it is sent is sent by the next start, once', async () => {
  const first = await startServer({ ...variables, FAIL_AT: 'notice-claimed:1' })
  await call(first, 'POST', contract.notification.create.path, rule)
  await first.exited
  expect(receiver.received).toHaveLength(0)
  const store = await connectStore(place, { report: console.error })
  const [stored, ...more] = await store.db.selectFrom('notification_deliveries').select(['delivery_id', 'state', 'attempts']).execute()
  expect([stored, more]).toMatchObject([{ state: 'waiting', attempts: 1 }, []])
  // As if the time had passed after which another attempt is made.
  await store.db.updateTable('notification_deliveries').set({ next_ms: 0 }).execute()
  await store.close()

  // The history is queried a thousand times a second.
  const second = await startServer({ ...variables, RATE_LIMITS: 'off' })
  const history = () => call<readonly DeliveryRow[]>(second, 'GET', contract.notification.history.path)
  await until(async () => (await history()).every(({ state }) => state === 'sent'))
  expect(await history()).toMatchObject([{ delivery_id: stored?.delivery_id, attempts: 2 }])
  second.signal('SIGTERM')
  await second.exited
  expect(receiver.received.map(({ deliveryId }) => deliveryId)).toEqual([stored?.delivery_id ?? ''])
}, 120_000)

test('nodes on one database send each notification once, also after the one that sends has died', async () => {
  const database = await startPostgres()
  const cluster = createCluster({ url: await database.createDatabase(), size: 2 })
  const receiver = startWebhookReceiver()
  try {
    const [first, second] = await Promise.all([cluster.start(0), cluster.start(1)])
    await cluster.call(first, contract.notification.create, { ...rule, url: receiver.url })
    await until(() => receiver.received.length > 0)
    await cluster.end(0, 'SIGKILL')
    await cluster.call(second, contract.notification.create, { ...rule, url: receiver.url })
    await until(() => receiver.received.length > 1)
    await cluster.end(1, 'SIGTERM')
    const third = await cluster.start(0)
    // Holds: the response is the list of deliveries.
    const read = async () => (await cluster.read(third, contract.notification.history)) as readonly DeliveryRow[]
    await cluster.call(third, contract.notification.create, { ...rule, url: receiver.url })
    await until(() => receiver.received.length > 2)
    expect((await read()).map(({ delivery_id }) => delivery_id).sort()).toEqual(
      receiver.received.map(({ deliveryId }) => deliveryId).sort(),
    )
  } finally {
    await cluster.close()
    await receiver.close()
    await database.stop()
  }
}, 120_000)
