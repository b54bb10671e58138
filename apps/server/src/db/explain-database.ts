import { lookup } from 'node:dns/promises'
import { SQL } from 'bun'
import { dial, dialFailure } from '../lib/dial.ts'
import { isAddressError, type PostgresAddress, parsePostgresAddress } from '../lib/postgres-address.ts'
import { placeLabel } from './store-place.ts'

// Why a PostgreSQL database cannot be opened, for operators: what is wrong, where, and what to do. Passwords are in none of it.

/** Longest wait for a name, and for a connection. */
const probeMs = 3_000

/**
 * The message for the operator: the database without its password, the reason and what to do.
 * @param cause whatever was thrown; an error that was explained before is returned
 */
export async function explainDatabase(url: string, cause: unknown): Promise<Error> {
  const start = `${placeLabel(url)} cannot be opened: `
  if (cause instanceof Error && cause.message.startsWith(start)) return cause
  // Errors with a code are printed without their stack (`explainStart`).
  return Object.assign(new Error(start + (await reasonOf(url, cause)), { cause }), { code: 'DATABASE' })
}

async function reasonOf(url: string, cause: unknown): Promise<string> {
  if (isAddressError(cause)) return `the address ${cause.message}`
  const error = innermost(cause)
  const message = error instanceof Error ? error.message : String(error)
  const address = parsePostgresAddress(url)
  if (isTimeout(error)) return noSession(address)
  if (/CERT|SELF_SIGNED|ISSUER/.test(dialFailure(error)))
    return `${message}: the certificate of ${placeOf(address)} is verified; set sslrootcert to the file of its authority, or use the host name in the certificate`
  if (/(?:ca|cert|key)File/.test(message)) return `${message}: check sslrootcert, sslcert and sslkey in DATABASE_URL`
  if (!(error instanceof SQL.PostgresError)) return message
  if (error.code === 'ERR_POSTGRES_SERVER_ERROR') {
    const advice = advices.find(({ errno, says }) => errno === error.errno && (says === undefined || message.includes(says)))
    return advice === undefined ? message : `${message}: ${advice.advise(address)}`
  }
  if (error.code === 'ERR_POSTGRES_TLS_NOT_AVAILABLE')
    return `${placeOf(address)} does not support TLS: enable ssl there, or remove sslmode`
  return (await probe(address)) ?? noSession(address)
}

/** What wraps an error of the client says only that the database is unavailable. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined && error.cause !== null ? innermost(error.cause) : error
}

const isTimeout = (error: unknown): boolean => error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')

function placeOf({ server }: PostgresAddress): string {
  return 'path' in server ? server.path : `${server.host}:${server.port}`
}

const noSession = (address: PostgresAddress): string =>
  `${placeOf(address)} accepts connections, but opened no session in time: if it is a pooler, it needs a larger pool (default_pool_size); otherwise check that PostgreSQL listens there and responds`

interface Advice {
  /** https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly errno: string
  /** In the message, where one number has several reasons. */
  readonly says?: string
  readonly advise: (address: PostgresAddress) => string
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** What to do, by what the server says. */
const advices: readonly Advice[] = [
  {
    errno: '28P01',
    advise: ({ user }) =>
      `set the right password of the role ${user} in DATABASE_URL, with / ? # % and @ percent-encoded (%2F %3F %23 %25 %40)`,
  },
  {
    errno: '28000',
    says: 'no encryption',
    advise: () => 'add ?sslmode=require to DATABASE_URL, or allow the connection in pg_hba.conf',
  },
  { errno: '28000', says: 'pg_hba', advise: ({ user }) => `allow the role ${user} in pg_hba.conf, and reload PostgreSQL` },
  { errno: '28000', advise: ({ user }) => `CREATE ROLE ${quoted(user)} LOGIN PASSWORD '...', or use another role in DATABASE_URL` },
  {
    errno: '3D000',
    advise: ({ user, database }) => `CREATE DATABASE ${quoted(database)} OWNER ${quoted(user)}, or use another one in DATABASE_URL`,
  },
  {
    errno: '53300',
    advise: () =>
      'it is at its limit of connections: raise max_connections (or the limit of the role or the database), or end other connections',
  },
  {
    errno: '57014',
    says: 'statement timeout',
    advise: ({ user }) =>
      `statements time out: remove statement_timeout from DATABASE_URL, or raise it (ALTER ROLE ${quoted(user)} SET statement_timeout)`,
  },
  { errno: '57P03', advise: () => 'it is starting or stopping; start again when it is ready' },
  { errno: '25006', advise: () => 'it is read-only, like a standby: point DATABASE_URL to the primary' },
  {
    errno: '42501',
    advise: ({ user }) =>
      `grant the role ${user} the privilege, or make it the owner of the database (ALTER DATABASE ... OWNER TO ${quoted(user)})`,
  },
  {
    errno: '08P01',
    says: 'unsupported startup parameter',
    advise: () => 'the pooler does not support this setting in an address: remove it, or set it for the role (ALTER ROLE ... SET)',
  },
]

/** Why nothing responds: the name, or the way to the port. `null`: a connection is taken. */
async function probe({ server }: PostgresAddress): Promise<string | null> {
  if ('path' in server) {
    const problem = await dial(server, probeMs)
    return problem === null ? null : `no socket accepts connections at ${server.path} (${problem}): start PostgreSQL, or fix the folder`
  }
  const { host, port } = server
  const nameProblem = await lookup(host).then(() => null, dialFailure)
  if (nameProblem !== null) return `the host name ${host} cannot be resolved (${nameProblem}): correct it in DATABASE_URL, or check the DNS`
  const problem = await dial(server, probeMs)
  if (problem === null) return null
  if (problem === 'ECONNREFUSED')
    return `nothing listens at ${host}:${port} (connection refused): start PostgreSQL, or set the right host and port`
  return `${host}:${port} cannot be reached (${problem}): check the network and firewalls in between`
}
