import type { Mutation } from './mutations.ts'

/** Faults of the console's watched log and its chart, and of pages whose account another tab has replaced. */
export const mutationsOfTabs: readonly Mutation[] = [
  {
    check: 'B10',
    name: 'show rows that wait twice',
    file: 'apps/console/src/features/log/live-rows.ts',
    text: 'rows.filter(({ id }) => !known.has(id))',
    becomes: 'rows.filter(({ id }) => id > 0)',
    tests: ['apps/console/src/features/log/live-rows.test.ts'],
  },
  {
    check: 'B10b',
    name: 'ask a server that does not respond as often as before',
    file: 'apps/console/src/features/log/live-rows.ts',
    text: 'pollMs * 2 ** Math.min(failures, 10)',
    becomes: 'pollMs + 0 * failures',
    tests: ['apps/console/src/features/log/live-rows.test.ts'],
  },
  {
    check: 'B12',
    name: 'count a request in the bar after its own',
    file: 'apps/console/src/features/log/chart-bars.ts',
    text: 'bars.findLast(({ from }) => from <= time)',
    becomes: 'bars.find(({ from }) => from > time)',
    tests: ['apps/console/src/features/log/chart-bars.test.ts'],
  },
  {
    check: 'B12',
    name: 'begin a chart without a beginning at the newest request',
    file: 'apps/console/src/features/log/chart-bars.ts',
    text: 'Math.min(least, time), span.to',
    becomes: 'Math.max(least, time), span.to',
    tests: ['apps/console/src/features/log/chart-bars.test.ts'],
  },
  {
    check: 'B40a',
    name: 'let a page act as the account that another tab has logged in',
    file: 'apps/console/src/lib/session.ts',
    text: 'if (now === null || now.id !== own.id) change.set(',
    becomes: 'if (now === null) change.set(',
    tests: ['apps/console/src/lib/session.test.ts'],
  },
  {
    check: 'B40b',
    name: 'log out the account of another tab at a 401',
    file: 'apps/console/src/lib/session.ts',
    text: 'return own !== null && now !== null && now.id !== own.id',
    becomes: 'return own !== null && now === null',
    tests: ['apps/console/src/lib/session.test.ts'],
  },
  {
    check: 'B40c',
    name: 'serve a call for another account than the page expects',
    file: 'apps/server/src/http/serve-contract.ts',
    text: 'if (expected !== null && expected !== String(id)) throw',
    becomes: 'if (expected === null && id === 0) throw',
    tests: ['apps/server/test/expected-account.test.ts'],
  },
]
