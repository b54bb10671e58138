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
    file: `${ledger}/postgres-queries.ts`,
    text: '`WHERE (SELECT count(*) FROM ${before}) >= 0`',
    becomes: "''",
    tests: ['apps/server/test/postgres.test.ts'],
    only: 'deadlock',
  },
  {
    name: 'forget which entries of a batch existed already when its answer is lost',
    file: 'apps/server/src/db/node-rows.ts',
    text: 'last_answer = (${answer})',
    becomes: "last_answer = coalesce('', (${answer}))",
    tests: ['apps/server/test/postgres.test.ts'],
    only: 'told to be new or not',
  },
]
