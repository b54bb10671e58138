import { resolve } from 'node:path'

export type Engine = 'sqlite' | 'mysql' | 'postgres'

/** Where a source is. */
export interface Location {
  readonly engine: Engine
  /** A path, or an address with its credentials. */
  readonly address: string
  /** The source in messages and in the database: the absolute path, or the address without credentials. */
  readonly label: string
}

/** The form of one-api's SQL_DSN for MySQL: `user:password@tcp(host:3306)/database?options`. */
const goMark = '@tcp('

/** Parses the operator's argument: a file, `mysql://`, `postgres://`, or a value of SQL_DSN. `null` = none of these. */
export function parseLocation(address: string): Location | null {
  const trimmed = address.trim()
  const go = addressOfGo(trimmed)
  if (go !== null) return parseLocation(go)
  const scheme = /^([a-z]+):\/\//i.exec(trimmed)?.[1]?.toLowerCase()
  if (scheme === undefined) return fileLocation(trimmed.replace(/^sqlite:/, ''))
  if (scheme === 'sqlite' || scheme === 'file') return fileLocation(trimmed.slice(scheme.length + 3))
  const engine = engineOf(scheme)
  const url = URL.parse(trimmed)
  if (engine === null || url === null || url.hostname === '' || url.pathname.length < 2) return null
  return { engine, address: trimmed, label: `${engine}://${url.host}${url.pathname}` }
}

function engineOf(scheme: string): Engine | null {
  if (scheme === 'mysql' || scheme === 'mariadb') return 'mysql'
  return scheme === 'postgres' || scheme === 'postgresql' ? 'postgres' : null
}

/** one-api appends options to the file's name; they are removed. */
function fileLocation(path: string): Location | null {
  const file = path.split('?', 1)[0] ?? ''
  return file === '' ? null : { engine: 'sqlite', address: file, label: resolve(file) }
}

/** The address in the form of the other engines; `null` = it is not in the form of SQL_DSN. */
function addressOfGo(address: string): string | null {
  // A password may contain the mark.
  const mark = address.lastIndexOf(goMark)
  const [, host, database] = mark < 0 ? [] : (/^([^)]+)\)\/([^?]*)/.exec(address.slice(mark + goMark.length)) ?? [])
  const [user = '', ...password] = address.slice(0, Math.max(0, mark)).split(':')
  if (host === undefined || database === undefined || /[@/]/.test(user)) return null
  return addressOf({ user, password: password.join(':'), host, database })
}

function addressOf({ user, password, host, database }: Readonly<Record<'user' | 'password' | 'host' | 'database', string>>): string {
  return `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${database}`
}
