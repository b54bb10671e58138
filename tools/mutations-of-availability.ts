import type { Mutation } from './mutations.ts'

const server = 'apps/server/src'
const tests = 'apps/server/test'
const watchdogTest = `${tests}/watchdog.test.ts`
const setAsideTest = `${tests}/set-aside.test.ts`
const backupsTest = `${server}/db/scheduled-backups.test.ts`
const silentTest = `${server}/db/silent-nodes.test.ts`
const badRowsTest = `${tests}/bad-rows.test.ts`
const lateEnds = { tests: [`${tests}/foreign-lock.test.ts`], only: 'longer than a response waits' }

/** Faults in what keeps one blocked, bad or unavailable part from stopping the others, and in what makes up for it. */
export const mutationsOfAvailability: readonly Mutation[] = [
  {
    name: 'watchdog: never take an event loop for blocked',
    file: `${server}/watchdog/watchdog-worker.ts`,
    text: 'while (steps < Atomics.load(integers, pulsePlace.stepsMax))',
    becomes: 'while (steps < 1e9 + Atomics.load(integers, pulsePlace.stepsMax))',
    tests: [watchdogTest],
    only: 'blocked for a second and a half',
  },
  {
    name: 'watchdog: end a process before its limit',
    file: `${server}/watchdog/watchdog-worker.ts`,
    text: 'while (steps < Atomics.load(integers, pulsePlace.stepsMax))',
    becomes: 'while (steps < Atomics.load(integers, pulsePlace.stepsMax) / 4)',
    tests: [watchdogTest],
    only: 'blocked for a second and a half',
  },
  {
    name: 'watchdog: count the time in which the whole process stood still',
    file: `${server}/watchdog/watchdog-worker.ts`,
    text: '    Atomics.wait(pause, 0, 0, stepMs)\n',
    becomes:
      '    const sleptFromMs = performance.now()\n    Atomics.wait(pause, 0, 0, stepMs)\n    if (performance.now() - sleptFromMs > 2 * stepMs * Atomics.load(integers, pulsePlace.stepsMax) * 0.75) return stepMs\n',
    tests: [watchdogTest],
    only: 'stood still',
  },
  {
    name: 'watchdog: watch the start, too',
    file: `${server}/main.ts`,
    text: '  const { activities } = watchdog\n',
    becomes: '  const { activities } = watchdog\n  await watchdog.start()\n',
    tests: [watchdogTest],
    only: 'a start and the end of a shutdown',
  },
  {
    name: 'watchdog: give the steps of a shutdown no more time',
    file: `${server}/watchdog/create-watchdog.ts`,
    text: 'allow(Math.max(limitMs, shutdownStepMs))',
    becomes: 'allow(Math.min(limitMs, shutdownStepMs))',
    tests: [watchdogTest],
    only: 'a start and the end of a shutdown',
  },
  {
    name: 'set aside a whole batch instead of what is refused',
    file: `${server}/ledger/write-batch.ts`,
    text: '    if (batch.length > 1) {\n',
    becomes: '    if (batch.length > 1e9) {\n',
    tests: [setAsideTest],
  },
  {
    name: 'take a store that refuses everything for sound',
    file: `${server}/ledger/write-batch.ts`,
    text: '    if (refusals.left < 0) throw error.refusal\n',
    becomes: '',
    tests: [setAsideTest],
  },
  {
    name: 'set aside without the reservation',
    file: `${server}/ledger/accounts.ts`,
    text: 'isOfToken, amount: held })',
    becomes: 'isOfToken, amount: 0 * held })',
    tests: [setAsideTest],
  },
  {
    name: 'set aside and leave the reservation in the lease',
    file: `${server}/ledger/accounts.ts`,
    text: '      user.balance -= ofUser\n      limit.remain -= ofToken\n      return',
    becomes: '      return',
    tests: [`${server}/ledger/lease-simulation.test.ts`],
  },
  {
    name: 'leave what was retried set aside',
    file: `${server}/ledger/sqlite-ledger-store.ts`,
    text: 'if (ending.resolves !== undefined) statements',
    becomes: 'if (ending.resolves === undefined && false) statements',
    tests: [setAsideTest],
  },
  {
    name: 'report that a retry was charged that is refused again',
    file: `${server}/ledger/write-batch.ts`,
    text: 'if (operation.resolves === undefined) resolve(true)',
    becomes: 'if (operation.do !== undefined) resolve(true)',
    tests: [setAsideTest],
  },
  {
    name: 'resolve what was set aside with any charge',
    file: `${server}/api/ledger/set-aside.ts`,
    text: 'if (charge > max) throw',
    becomes: 'if (charge > max * 1e9) throw',
    tests: [`${server}/api/ledger/set-aside.test.ts`],
  },
  {
    name: 'acknowledge money that is not on the disk',
    file: `${server}/db/connect-sqlite.ts`,
    text: 'durable: async () => wal?.sync()',
    becomes: 'durable: async () => {}',
    tests: [`${tests}/power-loss-management.test.ts`, `${server}/db/power-loss.test.ts`],
  },
  {
    name: 'take a commit for synced that is newer than the last sync',
    file: `${server}/db/wal-sync.ts`,
    text: 'if (syncedCommits === commits) return',
    becomes: 'if (syncedCommits > 0) return',
    tests: [`${tests}/power-loss-management.test.ts`, `${server}/db/power-loss.test.ts`],
  },
  {
    name: 'silent nodes: by the clock of the database',
    file: `${server}/db/silent-nodes.ts`,
    text: '{ heartbeatMs, sinceMs: nowMs }',
    becomes: '{ heartbeatMs, sinceMs: heartbeatMs }',
    tests: [silentTest],
  },
  {
    name: 'silent nodes: also those that are heard again and again',
    file: `${server}/db/silent-nodes.ts`,
    text: 'before?.heartbeatMs === heartbeatMs ? before',
    becomes: 'before !== undefined ? before',
    tests: [silentTest],
  },
  {
    name: 'silent nodes: also this process itself',
    file: `${server}/db/silent-nodes.ts`,
    text: 'epoch !== ownEpoch',
    becomes: 'epoch !== -ownEpoch',
    tests: [silentTest],
  },
  {
    name: 'silent nodes: also those that nobody could have heard',
    file: `${server}/db/silent-nodes.ts`,
    text: '      seen.clear()\n',
    becomes: '',
    tests: [silentTest],
  },
  {
    name: 'backups: put the next one off at each restart',
    file: `${server}/db/scheduled-backups.ts`,
    text: 'Math.max(0, everyMs - ageMs)',
    becomes: 'Math.max(everyMs, everyMs - ageMs)',
    tests: [backupsTest],
  },
  {
    name: 'backups: make one at each restart',
    file: `${server}/db/scheduled-backups.ts`,
    text: 'Math.max(0, everyMs - ageMs)',
    becomes: 'Math.min(0, everyMs - ageMs)',
    tests: [backupsTest],
  },
  {
    name: 'backups: try a failed one again only after the whole interval',
    file: `${server}/db/scheduled-backups.ts`,
    text: 'Math.min(everyMs, retryMs)',
    becomes: 'Math.max(everyMs, retryMs)',
    tests: [backupsTest],
  },
  {
    name: 'backups: keep one less',
    file: `${server}/db/scheduled-backups.ts`,
    text: 'others.slice(keep - 1)',
    becomes: 'others.slice(Math.max(0, keep - 2))',
    tests: [backupsTest],
  },
  {
    name: 'backups: delete the one that was just written',
    file: `${server}/db/scheduled-backups.ts`,
    text: 'name !== written',
    becomes: 'name !== `${written}x`',
    tests: [backupsTest],
  },
  {
    name: 'hold a response back for as long as the database is locked',
    file: `${server}/ledger/in-time.ts`,
    text: '{ deadlines, ms: endMs, error: () => late }',
    becomes: '{ deadlines, ms: endMs * 1e6, error: () => late }',
    ...lateEnds,
  },
  {
    name: 'forget a charge whose response did not wait for it',
    file: `${server}/ledger/batches.ts`,
    text: 'if (!waiting.isAwaited || waiting.isInVain) continue',
    becomes:
      "if (waiting.operation.do === 'settle') queue = queue.filter((one) => one !== waiting)\n      if (!waiting.isAwaited || waiting.isInVain) continue",
    ...lateEnds,
  },
  {
    name: 'let a balance grow beyond what is exact',
    file: `${server}/ledger/exact-sum.ts`,
    text: '(${sum} > ${max} AND ${change} > 0)',
    becomes: '(${sum} > ${max} AND ${change} < 0)',
    tests: [`${tests}/large-sums.test.ts`],
  },
  {
    name: 'stop a job at the first row that fails',
    file: `${server}/lib/each-alone.ts`,
    text: 'if (error instanceof AppError && everybodys.has(error.code)) throw error',
    becomes: 'if (error instanceof Error) throw error',
    tests: [badRowsTest],
  },
  {
    name: 'stop polling because of one task that cannot be read',
    file: `${server}/relay/tasks/task-polls.ts`,
    text: '    } catch {\n      return null\n',
    becomes: '    } catch (error) {\n      throw error\n',
    tests: [badRowsTest],
    only: 'poll-tasks',
  },
]
