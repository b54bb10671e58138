import type { Mutation } from './mutations.ts'

const server = 'apps/server/src'
const relay = `${server}/relay`
const overdraft = 'apps/server/test/overdraft.test.ts'
const outputLimits = `${relay}/billing/output-limits.test.ts`

/** What is reserved, what a vendor is told, and how far a balance can fall. */
export const mutationsOfReservations: readonly Mutation[] = [
  {
    name: 'charge what the balance cannot pay without a bound',
    file: `${relay}/billing/billing.ts`,
    text: 'Math.min(cost, payable + budget.overshoot)',
    becomes: 'cost',
    tests: [overdraft],
  },
  {
    name: 'forget what is reserved when it is asked what the balance can pay',
    file: `${server}/ledger/accounts.ts`,
    text: 'Math.max(0, user.balance - user.held)',
    becomes: 'Math.max(0, user.balance)',
    tests: [overdraft],
  },
  {
    name: 'tell the vendor no limit where the client named none',
    file: `${relay}/upstream/output-limit.ts`,
    text: '  return { outputLimit: Math.min(reserved, known?.outputMax ?? reserved) }\n',
    becomes: '  return {}\n',
    tests: [overdraft, outputLimits],
  },
  {
    name: 'take a character for a token while a stream runs',
    file: `${relay}/pricing/running-tokens.ts`,
    text: '  return sum / 16\n',
    becomes: '  return sum === 0 ? 0 : Math.max(1, sum / 4)\n',
    tests: [`${relay}/pricing/running-tokens.test.ts`],
  },
  {
    name: 'cut a stream by an estimate',
    file: `${relay}/response/stream-body.ts`,
    text: 'budget.counted(this.#counted)',
    becomes: 'budget.counted(budget.used)',
    tests: [outputLimits],
  },
  {
    name: 'send what is too much while it is counted',
    file: `${relay}/response/stream-body.ts`,
    text: 'if (ending === null || !isByCount(ending)) this.#sendWaiting()',
    becomes: 'this.#sendWaiting()',
    tests: [outputLimits],
  },
  {
    name: 'change one side of an entry only',
    file: `${server}/ledger/commit.ts`,
    text: '  add(sums.accounts, consumeAccount, amount)\n',
    becomes: '',
    tests: [`${server}/api/ledger/ledger.test.ts`, `${server}/ledger/simulation.test.ts`],
  },
  {
    name: 'stay ready while the disk hangs',
    file: `${server}/db/wal-sync.ts`,
    text: '      isStuck = true\n',
    becomes: '',
    tests: ['apps/server/test/disk.test.ts'],
    only: 'a disk that hangs',
  },
  {
    name: 'charge for a stream that has nothing but its end',
    file: `${relay}/upstream/first-steps.ts`,
    text: 'if (steps.some(({ isEmpty }) => isEmpty !== true)) return steps',
    becomes: 'if (steps.length > 0) return steps',
    tests: [`${relay}/relay.test.ts`],
    only: 'is no answer',
  },
]
