import { expect, test } from 'bun:test'
import { createAccounts } from './accounts.ts'
import type { LedgerStore } from './ledger-store.ts'
import { leasedQuota } from './quota-rules.ts'

/** A store in which every account has the same amounts. */
function sameForAll(): Pick<LedgerStore, 'read'> & { reads(): number } {
  let reads = 0
  return {
    reads: () => reads,
    async read(_, keep) {
      reads += 1
      keep({ balance: 100, limit: { remain: 100, isUnlimited: false, used: 0, forms: '' } })
    },
  }
}

test('unused accounts are dropped from memory while others are charged, and are read again when needed', async () => {
  const store = sameForAll()
  const accounts = createAccounts({ store, max: 20 })
  const unpin = await accounts.load(1, 1)
  accounts.take({ requestId: 'open', userId: 1, tokenId: 1, amount: 0, modelName: 'm' })
  unpin()
  const charging = accounts.keep(1, 1)
  for (let id = 2; id <= 1_000; id += 1) (await accounts.load(id, id))()
  const loaded = Array.from({ length: 1_000 }, (_, index) => index + 1).filter((id) => accounts.isLoaded(id, id))
  expect(loaded.length).toBeLessThanOrEqual(20)
  // A reservation of 0 counts, too.
  expect(loaded[0]).toBe(1)
  expect(accounts.resolve('open', 30)).not.toBeNull()
  for (let id = 2; id <= 100; id += 1) (await accounts.load(id, id))()
  expect(accounts.balanceOf(1)).toBe(70)
  charging()
  for (let id = 2; id <= 100; id += 1) (await accounts.load(id, id))()
  expect(accounts.balanceOf(1)).toBeNull()
  const before = store.reads()
  await accounts.load(1, 1)
  expect([store.reads() - before, accounts.balanceOf(1)]).toEqual([1, 100])
})

test('a response to an ask does not undo what was spent since its batch began', () => {
  const accounts = createAccounts({ store: sameForAll(), rules: leasedQuota })
  const limit = { remain: 0, isUnlimited: true, used: 0, forms: '' }
  accounts.fund({ of: 'user', id: 1, granted: 100, balance: 100, limit: null })
  accounts.fund({ of: 'token', id: 1, granted: 100, balance: 0, limit })
  const ceiling = { usedMax: 50, refusal: () => new Error('the limit is reached') }
  const spend = (requestId: string, amount: number) => {
    accounts.take({ requestId, userId: 1, tokenId: 1, amount, modelName: 'm', ceiling })
    return { hold: { requestId: 'r', userId: 1, tokenId: 1 }, freed: accounts.resolve(requestId, amount) ?? { user: 0, token: 0 } }
  }
  const [first, second] = [spend('first', 20), spend('second', 10)]
  // The first charge is in the batch of the ask, the second in the next one.
  accounts.written(first)
  accounts.fund({ of: 'user', id: 1, granted: 0, balance: 80, limit: null })
  accounts.fund({ of: 'token', id: 1, granted: 0, balance: 0, limit: { ...limit, used: 20 } })
  expect([accounts.balanceOf(1), accounts.limitOf(1)?.used]).toEqual([70, 30])
  expect(() => accounts.take({ requestId: 'third', userId: 1, tokenId: 1, amount: 21, modelName: 'm', ceiling })).toThrow(
    'the limit is reached',
  )
  accounts.written(second)
  accounts.fund({ of: 'token', id: 1, granted: 0, balance: 0, limit: { ...limit, used: 30 } })
  expect(accounts.limitOf(1)?.used).toBe(30)
})
