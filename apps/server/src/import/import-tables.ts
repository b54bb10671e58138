import { channelColumns, planChannel } from './plan-channel.ts'
import { logColumns, planLog } from './plan-log.ts'
import { planRedemption, redemptionColumns } from './plan-redemption.ts'
import { planToken, tokenColumns } from './plan-token.ts'
import { listImported, listRedemptionLookups, listTokenLookups, readLogMark } from './queries.ts'
import { labelOf, type Run, runStep } from './run.ts'

/** Imports the tokens of accounts that exist here. */
export async function importTokens(run: Run): Promise<void> {
  const there = new Set((await listImported(run.db, run.name, 'token')).map((row) => row.source_id))
  const keys = new Set(await listTokenLookups(run.db))
  await runStep(run, run.source, {
    kind: 'token',
    table: 'tokens',
    columns: tokenColumns,
    label: ({ id, name }) => labelOf('token', id, name),
    plan(token) {
      const lookup = run.seal.lookup(token.key, 'token')
      if (there.has(token.id) || keys.has(lookup)) return { do: 'leave' }
      const plan = planToken(token, run)
      if (plan.do === 'take') keys.add(lookup)
      return plan
    },
    write: (planned) => run.writer.tokens(planned),
  })
}

export async function importChannels(run: Run): Promise<void> {
  const { db, name, channels, writer, dialect, ownPort } = run
  for (const row of await listImported(db, name, 'channel')) channels.set(row.source_id, row.target_id)
  const there = new Set(channels.keys())
  await runStep(run, run.source, {
    kind: 'channel',
    table: 'channels',
    columns: channelColumns,
    label: (row) => labelOf('channel', row.id, row.name),
    plan: (channel) =>
      there.has(channel.id) ? { do: 'leave' } : planChannel(channel, { dialect, ownPort, needsKey: true, language: 'en' }),
    async write(planned) {
      const ids = await writer.channels(planned)
      for (const [index, { sourceId }] of planned.entries()) channels.set(sourceId, ids[index] ?? 0)
    },
  })
}

/** Imports the top-up codes. */
export async function importRedemptions(run: Run): Promise<void> {
  const there = new Set((await listImported(run.db, run.name, 'redemption')).map((row) => row.source_id))
  const keys = new Set(await listRedemptionLookups(run.db))
  await runStep(run, run.source, {
    kind: 'redemption',
    table: 'redemptions',
    columns: redemptionColumns,
    label: ({ id, name }) => labelOf('redemption', id, name),
    plan(code) {
      const lookup = run.seal.lookup(code.key, 'redemption')
      if (there.has(code.id) || keys.has(lookup)) return { do: 'leave' }
      const plan = planRedemption(code, run)
      if (plan.do === 'take') keys.add(lookup)
      return plan
    },
    write: (planned) => run.writer.redemptions(planned),
  })
}

/** Imports the log from where an earlier import stopped. */
export async function importLogs(run: Run): Promise<void> {
  const { logs, writer, dialect, name, users, channels } = run
  if (logs === null) return
  const mark = await readLogMark(run.db, name)
  await runStep(run, logs, {
    kind: 'log',
    table: 'logs',
    columns: logColumns,
    label: ({ id }) => `log ${id}`,
    plan: (log) => (log.id <= mark ? { do: 'leave' } : planLog(log, { dialect, source: name, users, channels })),
    async write(planned, rows) {
      const lastId = rows.at(-1)?.id ?? 0
      if (lastId > mark) await writer.logs(planned, lastId)
    },
  })
}
