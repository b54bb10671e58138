/** The address of a PostgreSQL database, as its parts. */
export interface PostgresAddress {
  /** Without what names a schema. Holds a password. */
  readonly url: string
  readonly database: string
  /** Empty = the name of the system's account. */
  readonly user: string
  /** Where the server listens: host and port, or the path of a socket. */
  readonly server: { readonly host: string; readonly port: number } | { readonly path: string }
  /** Value of PostgreSQL's `search_path`; `null` = the role's own. */
  readonly searchPath: string | null
}

const code = 'DATABASE_ADDRESS'

/** What is wrong with an address, without its password. Its message continues a sentence about the address: "must be ...". */
function addressError(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code })
}

/** Whether `parsePostgresAddress` has thrown it. */
export function isAddressError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === code
}

const defaultPort = 5432
const encodeHint = 'write / ? # % and @ in a user or password percent-encoded (%2F %3F %23 %25 %40)'
const likeThis = 'must be an address like postgres://user:password@host:5432/database'

/** @throws an error for `isAddressError` */
export function parsePostgresAddress(text: string): PostgresAddress {
  // A / ? or # in the password ends the part with the host: an @ comes after it, and what looks like the host is a part of the password.
  if (/^postgres(?:ql)?:\/\/[^/?#]*[/?#].*@/.test(text)) throw addressError(`${likeThis}: ${encodeHint}`)
  const url = URL.parse(text)
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) throw addressError(likeThis)
  const [user, , database] = [url.username, url.password, url.pathname.slice(1)].map(decode)
  if (url.hostname === '' || database === undefined || database === '') throw addressError('must name a host and a database')
  if (url.pathname.slice(1).includes('/')) throw addressError('must end with the name of the database, without a further /')
  return { url: withoutSchema(url), database, user: user ?? '', server: serverOf(url), searchPath: searchPathOf(url.searchParams) }
}

/** @throws an error for `isAddressError` */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw addressError(`has a % that encodes nothing: ${encodeHint}`, cause)
  }
}

function serverOf({ hostname, port, searchParams }: URL): PostgresAddress['server'] {
  const number = port === '' ? defaultPort : Number(port)
  const folder = ['host', 'path', 'socket'].map((name) => searchParams.get(name)).find((value) => value?.startsWith('/') === true)
  if (folder === undefined || folder === null) return { host: hostname.replace(/^\[|\]$/g, ''), port: number }
  return { path: folder.includes('.s.PGSQL.') ? folder : `${folder}/.s.PGSQL.${number}` }
}

const schemaParameters = ['schema', 'search_path'] as const

/** @throws an error for `isAddressError` */
function searchPathOf(parameters: URLSearchParams): string | null {
  const [schema, path] = schemaParameters.map((name) => parameters.get(name) ?? '')
  if (schema !== '' && path !== '') throw addressError('has both schema and search_path: one of them is enough')
  if (schema !== undefined && schema !== '') return `"${schema.replaceAll('"', '""')}"`
  return path === undefined || path === '' ? null : path
}

function withoutSchema(url: URL): string {
  const rest = new URL(url)
  for (const name of schemaParameters) rest.searchParams.delete(name)
  return rest.href
}
