import { logType } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { codedText, plainLog } from '../../ledger/log-entry.ts'
import { insertLog } from '../../ledger/log-queries.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { parseText } from '../../lib/parse-value.ts'
import { saveTest } from './queries.ts'

/** The result of a channel test. */
export interface Tested {
  readonly isOk: boolean
  readonly elapsedMs: number
  readonly model: string
  readonly upstreamModel: string
  readonly promptTokens: number
  readonly completionTokens: number
  /** The vendor refused the key. */
  readonly isKeyRefused: boolean
  /** Whether this result may disable the channel automatically. */
  readonly mayDisable: boolean
  /** Why it failed; empty if it passed. */
  readonly message: string
}

/** The account that started the test. */
interface Tester {
  readonly id: number
  readonly username: string
}

interface TestDeps {
  readonly db: Db
  readonly clock: Clock
  readonly probe: (channelId: number, model: string) => Promise<Tested>
}

export type TestChannel = (channel: { readonly id: number; readonly name: string }, model: string, tester: Tester) => Promise<Tested>

/** Most characters of a vendor's text that are stored. */
const messageMax = 500

/** Tests a channel, stores the result and logs it. Nobody is charged. */
export function createTestChannel({ db, clock, probe }: TestDeps): TestChannel {
  return async ({ id, name }, model, tester) => {
    const probed = await probe(id, model)
    const tested = { ...probed, message: parseText(probed.message, messageMax) }
    const at = nowSeconds(clock)
    const { isOk, elapsedMs, message: reason, model: modelName, upstreamModel, promptTokens, completionTokens } = tested
    const says = isOk
      ? ({ code: 'log_channel_tested', params: { id, name, seconds: (elapsedMs / 1000).toFixed(2) } } as const)
      : ({ code: 'log_channel_test_failed', params: { id, name, reason } } as const)
    const text = codedText({ ...says, actor: tester.id, event: 'channel_test' })
    const what = { type: logType.system, ...text, channelId: id, modelName, upstreamModel, elapsedMs, promptTokens, completionTokens }
    const who = { userId: tester.id, username: tester.username, createdAt: at }
    await db.transaction().execute(async (tx) => {
      await saveTest(tx, id, { ...tested, at })
      await insertLog(tx, plainLog({ ...who, ...what, endReason: isOk ? 'complete' : 'failed' }))
    })
    return tested
  }
}
