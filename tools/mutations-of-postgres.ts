import type { Mutation } from './mutations.ts'

const ledger = 'apps/server/src/ledger'
const engines = 'apps/server/test/ledger-engines.test.ts'

/** Faults in the single statement that writes a batch of the ledger on PostgreSQL. */
export const mutationsOfPostgres: readonly Mutation[] = [
  {
    name: 'post one reference twice in one statement',
    file: `${ledger}/batch-rows.ts`,
    text: '    if (seen.has(name)) return []\n',
    becomes: '',
    tests: [engines],
  },
  {
    name: 'look in the table for a hold that the same statement opens',
    file: `${ledger}/batch-rows.ts`,
    text: ' || isOpened(operation.hold.requestId)',
    becomes: '',
    tests: [engines],
  },
  {
    name: 'count quota spent before a new limit against it',
    file: `${ledger}/batch-rows.ts`,
    text: 'place > (limits',
    becomes: 'place < (limits',
    tests: [engines],
  },
  {
    name: 'lock accounts and tokens in any order',
    file: `${ledger}/postgres-lease-queries.ts`,
    text: '`WHERE (SELECT count(*) FROM ${before}) >= 0`',
    becomes: "''",
    tests: ['apps/server/test/postgres.test.ts'],
    only: 'deadlock',
  },
  {
    name: 'forget which entries of a batch existed already when its response is lost',
    file: 'apps/server/src/db/node-rows.ts',
    text: 'last_answer = (${response})',
    becomes: "last_answer = coalesce('', (${response}))",
    tests: ['apps/server/test/postgres.test.ts'],
    only: 'known to be new or not',
  },
  {
    name: 'write batches of a node that was declared dead',
    file: 'apps/server/src/db/node-rows.ts',
    text: " AND state = 'live' RETURNING last_answer",
    becomes: ' RETURNING last_answer',
    tests: ['apps/server/test/postgres.test.ts'],
    only: 'writes nothing anymore',
  },
  {
    name: 'take more from a lease than it has',
    file: `${ledger}/quota-rules.ts`,
    text: 'user.isTight ? freeOf(user) : Math.min(amount, freeOf(user))',
    becomes: 'user.isTight ? freeOf(user) : amount',
    tests: [`${ledger}/lease-simulation.test.ts`],
  },
  {
    name: 'give back nothing that another node lacks',
    file: `${ledger}/leases.ts`,
    text: 'giveBack(payer, accounts.draw(payer))',
    becomes: 'giveBack(payer, 0)',
    tests: ['apps/server/test/leases.test.ts'],
    only: 'moves to the node',
  },
]
