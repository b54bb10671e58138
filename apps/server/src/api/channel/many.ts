import { type ChannelWork, channelBoardMax, channelStatus, type contract } from '@sluice/contract'
import { vendors } from '@sluice/vendors/registry/list'
import type { Db } from '../../db/connect.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Handlers } from '../implement.ts'
import { findTestable, listBoard, listTests, saveBalance, scopeIds } from './queries.ts'
import type { ChannelStatusKeeper } from './status.ts'
import type { TestChannel } from './test-channel.ts'
import type { ChannelRunner, Done, Run } from './work.ts'

interface ManyDeps {
  readonly db: Db
  readonly clock: Clock
  readonly runner: ChannelRunner
  readonly status: ChannelStatusKeeper
  readonly testChannel: TestChannel
  readonly balanceOf: (channelId: number) => Promise<number>
}

type ManyCalls = 'testAll' | 'progress' | 'board' | 'tests' | 'updateBalances'

/** The result for a channel that was deleted during the run, which is not a failure. */
const unchanged: Done = { isOk: true, became: 'kept' }

const statusesOf = {
  all: Object.values(channelStatus),
  disabled: [channelStatus.disabled, channelStatus.autoDisabled],
} as const

const typesWithBalance = vendors.flatMap(({ type, askBalance }) => (askBalance === undefined ? [] : [type]))

export type TestRunDeps = Pick<ManyDeps, 'db' | 'status' | 'testChannel'>

/** Tests channels one after another, and enables or disables them by the results. */
export function testRun({ db, status, testChannel }: TestRunDeps, scope: ChannelWork['scope'], tester: Parameters<TestChannel>[2]): Run {
  return {
    work: 'test',
    scope,
    list: () => scopeIds(db, { statuses: statusesOf[scope] }),
    async each(id) {
      const channel = await findTestable(db, id)
      if (channel === undefined) return unchanged
      const tested = await testChannel(channel, '', tester)
      return { isOk: tested.isOk, became: await status.judge(channel, tested) }
    },
  }
}

/** The calls that concern many channels at once. */
export function manyChannels(deps: ManyDeps): Pick<Handlers<typeof contract.channel>, ManyCalls> {
  const { db, clock, runner, balanceOf } = deps
  return {
    testAll: async ({ scope }, caller) => await runner.start(testRun(deps, scope, caller)),

    updateBalances: async () =>
      await runner.start({
        work: 'balance',
        scope: 'all',
        list: () => scopeIds(db, { statuses: [channelStatus.enabled], types: typesWithBalance }),
        async each(id) {
          await saveBalance(db, id, { balance: await balanceOf(id), atSeconds: nowSeconds(clock) })
          return { isOk: true, became: 'kept' }
        },
      }),

    progress: () => runner.progress(),
    board: async () => (await listBoard(db, channelBoardMax)).map(({ passed, ...row }) => ({ ...row, test_failed: passed === 0 })),
    tests: async ({ ids }) =>
      (await listTests(db, ids)).map(({ channel_id: channel, elapsed_ms: elapsed_time, passed, ...row }) => ({
        ...row,
        channel,
        elapsed_time,
        passed: passed === 1,
      })),
  }
}
