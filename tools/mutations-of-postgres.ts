import type { Mutation } from './mutations.ts'

const ledger = 'apps/server/src/ledger'
const engines = 'apps/server/test/ledger-engines.test.ts'

/** The same for the one statement that a batch is on PostgreSQL. */
export const mutationsOfPostgres: readonly Mutation[] = [
  {
    name: 'post the same thing twice in one statement',
    file: `${ledger}/batch-rows.ts`,
    text: '    if (seen.has(name)) return []\n',
    becomes: '',
    tests: [engines],
  },
  {
    name: 'look for a reservation that the same statement opens',
    file: `${ledger}/batch-rows.ts`,
    text: ' || isOpened(operation.hold.requestId)',
    becomes: '',
    tests: [engines],
  },
  {
    name: 'count what was spent before a new limit against it',
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
    name: 'forget what a batch had found done when its answer is lost',
    file: 'apps/server/src/db/owned-connection.ts',
    text: 'last_answer = (${answer})',
    becomes: "last_answer = coalesce('', (${answer}))",
    tests: ['apps/server/test/postgres.test.ts'],
    only: 'told to be new or not',
  },
]
