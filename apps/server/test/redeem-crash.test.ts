import { afterAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { connectStore } from '../src/db/connect-store.ts'
import { verify } from '../src/ledger/verify.ts'
import { createServerPlace } from './server-place.ts'
import { type ServerProcess, startServer } from './server-process.ts'

// The server process is killed while codes are redeemed.

const { place, accessToken, variables, remove } = await createServerPlace('redeem')
afterAll(remove)

async function post<Data>(server: ServerProcess, path: string, body: object): Promise<Data | undefined> {
  const response = await fetch(server.url + path, { method: 'POST', headers: { authorization: accessToken }, body: JSON.stringify(body) })
  // Holds: every response of the management API is an envelope.
  return ((await response.json()) as { data?: Data }).data
}

/** Redeemed quota of the ledger, and the number of used codes. */
async function redeemed(): Promise<{ readonly quota: number; readonly codes: number; readonly broken: readonly string[] }> {
  const store = await connectStore(place, { report: console.error })
  const entries = await store.db.selectFrom('ledger').select('amount').where('kind', '=', 'redeem').execute()
  const used = await store.db.selectFrom('redemptions').select('quota').where('status', '=', 3).execute()
  const { checks } = await verify(store.db, { withLogs: true })
  await store.close()
  const quota = entries.reduce((sum, { amount }) => sum + amount, 0)
  return { quota, codes: used.length, broken: checks.flatMap(({ broken }) => broken) }
}

async function stop(server: ServerProcess): Promise<void> {
  server.signal('SIGTERM')
  await server.exited
}

test('a code that was marked as used but not credited when the process ended is credited once by the next start', async () => {
  const first = await startServer(variables)
  const [key = ''] = (await post<string[]>(first, contract.redemption.create.path, { name: 'cut', quota: 42 })) ?? []
  await stop(first)
  // The state of the database if the process ends between the two commits.
  const store = await connectStore(place, { report: console.error })
  await store.db.updateTable('redemptions').set({ status: 3, used_user_id: 1, redeemed_time: 1 }).execute()
  await store.close()

  const second = await startServer(variables)
  expect(await post(second, contract.redemption.redeem.path, { key })).toBeUndefined()
  await stop(second)
  expect(await redeemed()).toEqual({ quota: 42, codes: 1, broken: [] })
}, 60_000)

test('after kills while codes are redeemed, every used code has been credited once', async () => {
  let credited = 42
  for (let round = 0; round < 3; round++) {
    const server = await startServer(variables)
    const keys = (await post<string[]>(server, contract.redemption.create.path, { name: `round ${round}`, quota: 1, count: 10 })) ?? []
    let responses = 0
    await Promise.allSettled(
      keys.map(async (key) => {
        credited += (await post<number>(server, contract.redemption.redeem.path, { key })) ?? 0
        responses += 1
        if (responses > round) server.signal('SIGKILL')
      }),
    )
    await server.exited
  }
  await stop(await startServer(variables))
  const { quota, codes, broken } = await redeemed()
  expect(broken).toEqual([])
  expect(quota - 42).toBe(codes - 1)
  // All credits with a response are there; others, whose responses were lost, may be there too.
  expect(quota).toBeGreaterThanOrEqual(credited)
}, 60_000)
