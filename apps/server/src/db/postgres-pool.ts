import { type ReservedSQL, SQL } from 'bun'
import { type PostgresAddress, parsePostgresAddress } from '../lib/postgres-address.ts'
import { createLoans } from './loans.ts'
import { pathSetting, type SessionSettings } from './session-settings.ts'

const connectSeconds = 5
/** Longest wait for a free session where a caller has no limit of its own. */
const waitMs = 10_000

interface PoolOptions {
  readonly max: number
  /** The application name in pg_stat_activity. */
  readonly name: string
  /** `null`: sessions stay as they were opened, also their schema. */
  readonly settings: SessionSettings | null
  /** Called before the first session is opened. What it throws is passed on to the caller that needed that session. */
  readonly check?: () => Promise<void>
  readonly onClose?: () => void
}

/** What runs a statement: a session, or a pool, which chooses one. */
export interface Queryable {
  unsafe<Rows extends readonly unknown[]>(text: string, parameters?: unknown[]): Promise<Rows>
}

/** Sessions that are opened when they are needed, and opened again when they were lost. */
export interface PostgresPool extends Queryable {
  /** A session for one caller until its `release` or `close`. @throws the signal's reason */
  reserve(options: { readonly signal: AbortSignal }): Promise<ReservedSQL>
  /** Calls `onNotify` at every notification, and after each break; on a session of its own. */
  listen(channel: string, onNotify: () => void): Promise<{ unlisten(): Promise<void> }>
  close(options?: { readonly timeout: number }): Promise<void>
}

/** @throws an error for `isAddressError` */
export function openPool(url: string, options: PoolOptions): PostgresPool {
  const address = parsePostgresAddress(url)
  const sessions = Array.from({ length: options.max }, () => openSession(address, options))
  const loans = createLoans(sessions)
  const listener = new SQL(address.url, clientOptions(address, options.name))
  let checked: Promise<void> | null = null

  async function reserve({ signal }: { readonly signal: AbortSignal }): Promise<ReservedSQL> {
    checked ??= options.check?.() ?? Promise.resolve()
    await checked.catch((error: unknown) => {
      checked = null
      throw error
    })
    const session = await loans.borrow(signal)
    let isLent = true
    const giveBack = (): void => {
      if (isLent) loans.giveBack(session)
      isLent = false
    }
    try {
      return await session.reserve(signal, giveBack)
    } catch (error) {
      giveBack()
      throw error
    }
  }

  return {
    reserve,
    async unsafe<Rows extends readonly unknown[]>(text: string, parameters: unknown[] = []) {
      const line = await reserve({ signal: AbortSignal.timeout(waitMs) })
      try {
        return await line.unsafe<Rows>(text, parameters)
      } finally {
        await line.release()
      }
    },
    listen: (channel, onNotify) => listener.listen(channel, onNotify, onNotify),
    async close(closing) {
      await Promise.all([listener, ...sessions].map((one) => one.close(closing)))
    },
  }
}

/** Poolers take the name of an application at the start of a connection, and refuse most other settings there. */
const clientOptions = ({ database }: PostgresAddress, name: string) => ({
  // Repeated here, because PGDATABASE in the environment would override the address.
  database,
  max: 1,
  bigint: true,
  connectionTimeout: connectSeconds,
  connection: { application_name: name },
})

/** A client with one connection, whose settings are made whenever it was opened anew. */
function openSession(address: PostgresAddress, { name, settings, onClose }: PoolOptions) {
  /** Numbers of connections: of the last one that was opened, and of the last one whose settings were made. */
  let opened = 0
  let prepared = 0
  /** Ends the present loan. */
  let ended = (): void => {}
  const client = new SQL(address.url, {
    ...clientOptions(address, name),
    onconnect() {
      opened += 1
    },
    onclose() {
      ended()
      onClose?.()
    },
  })
  return {
    /** @param giveBack called once the connection is released, closed or lost, perhaps several times */
    async reserve(signal: AbortSignal, giveBack: () => void): Promise<ReservedSQL> {
      ended = giveBack
      const line = await client.reserve({ signal })
      const current = opened
      if (settings !== null && prepared !== current) {
        await prepare(line, settingsText(settings, address.searchPath))
        prepared = current
      }
      return returning(line, giveBack)
    },
    close: (closing?: { readonly timeout: number }) => client.close(closing),
  }
}

/**
 * All settings in one round trip. Only the schema of the installation is searched, so that no table of another one, or of another program, is
 * taken for its own.
 */
function settingsText(settings: SessionSettings, searchPath: string | null): string {
  const rows = Object.entries(settings).map(([setting, value]) => `(${quote(setting)}, ${quote(value)})`)
  return [
    ...(searchPath === null ? [] : [`SELECT set_config('search_path', ${quote(searchPath)}, false)`]),
    `SELECT set_config('${pathSetting}', array_to_json(current_schemas(false))::text, false)`,
    "SELECT set_config('search_path', quote_ident(current_schema()), false) WHERE current_schema() IS NOT NULL",
    `SELECT set_config(name, setting, false) FROM (VALUES ${rows.join(', ')}) AS settings (name, setting)`,
  ].join('; ')
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Closes a connection whose settings cannot be made in time: a pooler without a free session lets its clients wait. */
async function prepare(line: ReservedSQL, text: string): Promise<void> {
  const timer = setTimeout(() => void line.close().catch(() => {}), connectSeconds * 1000)
  try {
    await line.unsafe(text).simple()
  } catch (error) {
    await line.close().catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The reserved connection, whose release and close call `giveBack` too. */
function returning(line: ReservedSQL, giveBack: () => void): ReservedSQL {
  const { release, close } = line
  return Object.assign(line, {
    release: () => release().finally(giveBack),
    close: (closing?: { readonly timeout?: number }) => close(closing).finally(giveBack),
  })
}
