import { logType, pageSize } from '@sluice/contract'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { Schema } from '../../db/schema.ts'

/** 0 and empty = no filter. */
export interface LogFilters {
  readonly userId: number | null
  readonly type: number
  readonly username: string
  readonly token_name: string
  readonly model_name: string
  readonly start_timestamp: number
  readonly end_timestamp: number
  readonly channel: number
}

function matches(build: ExpressionBuilder<Schema, 'logs'>, filters: LogFilters): Expression<SqlBool> {
  const { userId, type, username, token_name, model_name, start_timestamp, end_timestamp, channel } = filters
  const rules: Expression<SqlBool>[] = []
  if (userId !== null) rules.push(build('user_id', '=', userId))
  if (type !== logType.all) rules.push(build('type', '=', type))
  if (username !== '') rules.push(build('username', '=', username))
  if (token_name !== '') rules.push(build('token_name', '=', token_name))
  if (model_name !== '') rules.push(build('model_name', '=', model_name))
  if (start_timestamp > 0) rules.push(build('created_at', '>=', start_timestamp))
  if (end_timestamp > 0) rules.push(build('created_at', '<=', end_timestamp))
  if (channel > 0) rules.push(build('channel_id', '=', channel))
  return build.and(rules)
}

export async function listLogs(db: Db, filters: LogFilters, p: number) {
  return await db
    .selectFrom('logs')
    .selectAll()
    .where((build) => matches(build, filters))
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset(p * pageSize)
    .execute()
}

/** Sums over consumption; other types of rows spend nothing. */
export async function sumLogs(db: Db, filters: LogFilters) {
  const row = await db
    .selectFrom('logs')
    .select(({ fn }) => [
      fn.sum<number | null>('quota').as('quota'),
      fn.sum<number | null>('prompt_tokens').as('prompt'),
      fn.sum<number | null>('completion_tokens').as('completion'),
    ])
    .where((build) => matches(build, { ...filters, type: logType.consume }))
    .executeTakeFirstOrThrow()
  return { quota: Number(row.quota ?? 0), token: Number(row.prompt ?? 0) + Number(row.completion ?? 0) }
}
