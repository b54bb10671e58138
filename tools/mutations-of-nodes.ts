import type { Mutation } from './mutations.ts'

const nodes = 'apps/server/src/nodes'
const minutes = 'apps/server/src/relay/ingress/shared-minutes'

/** Faults in what several nodes must agree on. */
export const mutationsOfNodes: readonly Mutation[] = [
  {
    name: 'read rows by their ids while a node may still add one before them',
    file: 'apps/server/src/db/horizon.ts',
    text: 'Number(rows[0]?.running ?? 0) > transaction',
    becomes: 'transaction > 0',
    tests: ['apps/server/src/db/horizon.test.ts'],
  },
  {
    name: 'grant a node places of a token that other nodes have',
    file: 'apps/server/src/relay/ingress/place-queries.ts',
    text: '${places}::bigint - o.taken',
    becomes: '${places}::bigint',
    tests: ['apps/server/src/relay/ingress/shared-places.test.ts'],
  },
  {
    name: 'keep the places of a dead node',
    file: 'apps/server/src/relay/ingress/place-queries.ts',
    text: "n.state <> 'live'",
    becomes: "n.state = 'none'",
    tests: ['apps/server/src/relay/ingress/shared-places.test.ts'],
  },
  {
    name: 'miss a change whose transaction began before others and ended after them',
    file: `${nodes}/change-queries.ts`,
    text: 'pg_snapshot_xmin(pg_current_snapshot())',
    becomes: 'pg_snapshot_xmax(pg_current_snapshot())',
    tests: [`${nodes}/change-feed.test.ts`],
  },
  {
    name: 'read only what changed after the connection to the database was lost',
    file: `${nodes}/change-feed.ts`,
    text: 'isBroken || isMore',
    becomes: 'isMore',
    tests: [`${nodes}/change-feed.test.ts`],
  },
  {
    name: 'admit requests by what was known before a pause of the process',
    file: `${nodes}/configuration.ts`,
    text: 'feed.ageMs() > behindMs && ',
    becomes: 'feed.ageMs() > 1e9 && ',
    tests: [`${nodes}/configuration.test.ts`],
  },
  {
    name: 'let a second node take the scheduled work',
    file: `${nodes}/job-queries.ts`,
    text: 'owner.node = excluded.node OR NOT (${isOwned})',
    becomes: 'true',
    tests: [`${nodes}/ownership.test.ts`],
  },
  {
    name: 'let a try count that was refused',
    file: `${nodes}/limit-queries.ts`,
    text: 'WHERE known.until_ms <= ${now}',
    becomes: '',
    tests: [`${nodes}/shared-limiters.test.ts`],
  },
  {
    name: 'give nothing back of the requests that were granted ahead',
    file: `${minutes}.ts`,
    text: 'if (grant.left > 0) addCount(',
    becomes: 'if (grant.left < 0) addCount(',
    tests: [`${minutes}.test.ts`],
  },
  {
    name: 'write an option back as this node knew it',
    file: 'apps/server/src/api/option/settings.ts',
    text: '        await lockOptions(tx)\n        take(await readEntries(tx, seal, parse))\n',
    becomes: '',
    tests: [`${nodes}/change-feed.test.ts`],
  },
  {
    name: 'refuse for good what a node has that stopped a moment ago',
    file: 'apps/server/src/ledger/postgres-lease-queries.ts',
    text: 'const silentMs = 1_500',
    becomes: 'const silentMs = 5_000',
    tests: ['apps/server/test/leases.test.ts'],
  },
  {
    name: 'compare the books by ids before which another node may still add an entry',
    file: 'apps/server/src/ledger/reconcile.ts',
    text: 'await horizon.settled()',
    becomes: "(await db.selectFrom('ledger').select('id').orderBy('id', 'desc').executeTakeFirst())?.id ?? 0",
    tests: ['apps/server/src/db/horizon.test.ts'],
  },
]
