import { SQL } from 'bun'

/** Session settings of every connection, so that neither side waits for ever for the other. */
const sessionSettings = {
  client_encoding: 'UTF8',
  TimeZone: 'UTC',
  synchronous_commit: 'on',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
} as const

const connectSeconds = 5

interface PoolOptions {
  readonly max: number
  /** The application name in pg_stat_activity. */
  readonly name: string
  /** Longest time of one statement in milliseconds; 0 = no limit. */
  readonly statementMs: number
  readonly isReadOnly?: boolean
  /** More settings of its sessions. */
  readonly session?: Readonly<Record<string, string>>
  readonly onClose?: () => void
}

export function openPool(url: string, { max, name, statementMs, isReadOnly = false, session = {}, onClose }: PoolOptions): SQL {
  return new SQL(url, {
    // Repeated here, because PGDATABASE in the environment would override the address.
    database: decodeURIComponent(new URL(url).pathname.slice(1)),
    max,
    bigint: true,
    connectionTimeout: connectSeconds,
    connection: {
      ...sessionSettings,
      ...session,
      application_name: name,
      statement_timeout: statementMs,
      default_transaction_read_only: isReadOnly ? 'on' : 'off',
    },
    onclose: () => onClose?.(),
  })
}
