import type { Mutation } from './mutations.ts'

const server = 'apps/server/src'
const relay = `${server}/relay`
const overdraft = 'apps/server/test/overdraft.test.ts'
const outputLimits = `${relay}/billing/output-limits.test.ts`

/** Faults in the size of holds, in limits sent to vendors, and in how far a balance can fall. */
export const mutationsOfReservations: readonly Mutation[] = [
  {
    name: 'charge more than the balance without a bound',
    file: `${relay}/billing/billing.ts`,
    text: 'Math.min(cost, payable + budget.overshoot)',
    becomes: 'cost',
    tests: [overdraft],
  },
  {
    name: 'reserve the price of a channel type without a factor',
    file: `${relay}/billing/open-charge.ts`,
    text: 'price: resolvedPrice.dearestOf(types), types, settings: settings()',
    becomes: 'price: resolvedPrice, types, settings: settings()',
    tests: [`${relay}/billing/retail-factors.test.ts`],
  },
  {
    name: 'charge every channel type the same',
    file: `${relay}/billing/billing.ts`,
    text: 'resolvedPrice.ofType(channel.vendor.type)',
    becomes: 'reserveFor(withReasoning(params, types), resolvedPrice, deps.settings())',
    tests: [`${relay}/billing/retail-factors.test.ts`],
  },
  {
    name: 'ignore holds when the affordable output is calculated',
    file: `${server}/ledger/quota-rules.ts`,
    text: 'Math.max(0, balance - held)',
    becomes: 'Math.max(0, balance + 0 * held)',
    tests: [overdraft],
  },
  {
    name: 'send the vendor no limit if the client named none',
    file: `${relay}/upstream/output-limit.ts`,
    text: '  return most === Number.POSITIVE_INFINITY ? undefined : Math.min(most, own.affordable)\n',
    becomes: '  return undefined\n',
    tests: [overdraft, outputLimits],
  },
  {
    name: 'count a character as a token while a stream runs',
    file: 'packages/vendors/src/core/running-tokens.ts',
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
    name: 'send output beyond the limit while it is counted',
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
    file: `${relay}/upstream/stream-prefix.ts`,
    text: 'if (read.steps.some(({ isEmpty }) => isEmpty !== true)) return read.steps',
    becomes: 'if (read.steps.length > 0) return read.steps',
    tests: [`${relay}/relay.test.ts`],
    only: 'is no answer',
  },
]
