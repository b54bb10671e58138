import { expect } from 'bun:test'
import { type AdminLogRow, contract } from '@sluice/contract'
import type { TestApp, TestUser } from './app.ts'
import type { Script } from './fake-upstream.ts'

interface Account {
  readonly quota: number
  readonly groups?: string
  /** Those of its token; missing: all. */
  readonly models?: string
}

/** An account with one token. */
export interface AccountScene {
  readonly user: TestUser
  readonly key: string
  send(path: string, body: object | FormData): Promise<Response>
  /** The log row of its last request; missing: none was charged. */
  row(): Promise<AdminLogRow | undefined>
  /** The log row of a request to which the vendor responds like this, as its client sees it. */
  rowOf(path: string, body: object | FormData, ...responses: readonly Script[]): Promise<AdminLogRow>
  /** A request to which the vendor responds like this; without a row if it was refused. */
  call(path: string, body: object | FormData, ...responses: readonly Script[]): Promise<Called>
  /** What is left of its balance, and what vendors get for all of its requests so far, in quota. */
  spent(): Promise<{ readonly quota: number; readonly cost: number }>
}

export interface Called {
  readonly status: number
  readonly text: string
  readonly row: AdminLogRow | undefined
  /** The bodies of the requests that vendors got. */
  readonly upstreamBodies: readonly string[]
}

export async function accountScene(app: TestApp, { quota, groups, models }: Account): Promise<AccountScene> {
  const user = await app.make.user({ quota, ...(groups === undefined ? {} : { groups }) })
  const { key } = await app.make.token(user, { isUnlimited: true, ...(models === undefined ? {} : { models }) })

  function send(path: string, body: object | FormData): Promise<Response> {
    const isForm = body instanceof FormData
    const headers = { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
    return app.request(path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })
  }

  async function row(): Promise<AdminLogRow | undefined> {
    await app.app.ledger.drain()
    return (await app.data(contract.log.list, { username: user.username, type: 2 }))[0]
  }

  async function call(path: string, body: object | FormData, ...responses: readonly Script[]): Promise<Called> {
    app.upstream.script(...responses)
    const before = app.upstream.received.length
    const response = await send(path, body)
    const text = await response.text()
    const upstreamBodies = app.upstream.received.slice(before).map((request) => request.body)
    return { status: response.status, text, row: response.ok ? await row() : undefined, upstreamBodies }
  }

  return {
    ...{ user, key, send, row, call },
    async rowOf(path, body, ...responses) {
      const { status, text, row: logRow } = await call(path, body, ...responses)
      expect([status, text.length > 0]).toEqual([200, true])
      if (logRow === undefined) throw new Error('nothing was logged')
      return logRow
    },
    async spent() {
      await app.app.ledger.drain()
      const { db } = app.app.store
      const { quota: left } = await db.selectFrom('users').select('quota').where('id', '=', user.id).executeTakeFirstOrThrow()
      const rows = await db.selectFrom('logs').select('cost').where('user_id', '=', user.id).where('type', '=', 2).execute()
      return { quota: left, cost: rows.reduce((sum, { cost }) => sum + (cost ?? 0), 0) }
    },
  }
}
