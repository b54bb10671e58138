import type { Dialect } from './dialects.ts'
import { channelColumns } from './plan-channel.ts'
import { tokenColumns } from './plan-token.ts'
import { userColumns } from './plan-user.ts'
import type { Tables } from './source.ts'

interface Mark {
  readonly table: string
  /** Missing = the table alone is the mark. */
  readonly column?: string
}

interface Product {
  readonly dialect: Dialect
  readonly marks: readonly Mark[]
  /** How many of the marks must be there, because forks of other products have some of them. */
  readonly marksMin: number
}

/** The first product with enough marks decides. */
const products: readonly Product[] = [
  {
    dialect: 'ezlinkai',
    marksMin: 2,
    marks: [
      { table: 'group_configs' },
      { table: 'model_metrics' },
      { table: 'users', column: 'google_id' },
      { table: 'users', column: 'channel_ratios' },
      { table: 'channels', column: 'multi_key_info' },
    ],
  },
  {
    dialect: 'new-api',
    marksMin: 3,
    marks: [
      { table: 'tokens', column: 'model_limits_enabled' },
      { table: 'tokens', column: 'deleted_at' },
      { table: 'channels', column: 'auto_ban' },
      { table: 'users', column: 'aff_quota' },
    ],
  },
]

/** Later versions of one-api have at least one of these, and the first ones none. */
const laterOneApi: readonly Mark[] = [
  { table: 'users', column: 'oidc_id' },
  { table: 'logs', column: 'elapsed_time' },
]

/** Marks of new-api and ezlinkai that no version of one-api has: with too few of them the product is unknown. */
const foreignToOneApi: readonly Mark[] = products.flatMap(({ marks }) => marks)

/**
 * Gateways whose tables have the names of one-api's but other meanings: their channel types are numbered differently, so that keys would be
 * sent to other companies, and limits of tokens are stored elsewhere.
 */
const unsupported: ReadonlyArray<{ readonly name: string; readonly marks: readonly Mark[] }> = [
  {
    name: 'one-hub (or its fork done-hub)',
    marks: [
      { table: 'user_groups' },
      { table: 'prices' },
      { table: 'telegram_menus' },
      { table: 'model_owned_bies' },
      { table: 'tokens', column: 'setting' },
      { table: 'tokens', column: 'backup_group' },
      { table: 'channels', column: 'deleted_at' },
      { table: 'channels', column: 'model_headers' },
      { table: 'channels', column: 'custom_parameter' },
    ],
  },
]

type Detection = { readonly dialect: Dialect } | { readonly problem: string }

/**
 * Detects the product by its tables. A database of an unsupported gateway is refused even if the operator named a dialect.
 * @param named the dialect that the operator named; `null` = none
 */
export function detectDialect(tables: Tables, named: Dialect | null): Detection {
  const isFamily = ['users', 'tokens', 'channels'].every((table) => tables.has(table)) && tables.get('tokens')?.has('key') === true
  if (!isFamily) return { problem: 'it does not have the tables of one-api or new-api.' }
  const gateway = unsupported.find(({ marks }) => marksIn(tables, marks).length > 0)
  if (gateway !== undefined)
    return {
      problem: `it is a database of ${gateway.name}, which is not supported (${marksIn(tables, gateway.marks).map(textOf).join(', ')}).`,
    }
  return named === null ? guess(tables) : { dialect: named }
}

function guess(tables: Tables): Detection {
  const product = products.find(({ marks, marksMin }) => marksIn(tables, marks).length >= marksMin)
  const strange = product === undefined ? marksIn(tables, foreignToOneApi).map(textOf) : []
  const unread = unreadLimits(tables)
  if (strange.length > 0 || unread.length > 0) return { problem: unclear([...strange, ...unread]) }
  return { dialect: product?.dialect ?? (marksIn(tables, laterOneApi).length > 0 ? 'one-api' : 'one-api-0.6.8') }
}

const unclear = (columns: readonly string[]): string =>
  `its product is unknown: it has ${columns.join(', ')}. If you are sure that it is a supported product and that these columns restrict nothing, name the product with --dialect.`

/** Words in names of columns that restrict what an account, token or channel may do, or mark it as deleted. */
const limitWords: ReadonlySet<string> = new Set(
  'allow allowed blacklist cap deleted denied deny expire expired expires ip ips limit limited limits max permission permissions quota restrict restricted rpm scope scopes setting settings subnet tpm whitelist'.split(
    ' ',
  ),
)

/** Columns with such a word that limit nothing. */
const harmless: Readonly<Record<string, ReadonlySet<string>>> = {
  users: new Set(['setting']),
  tokens: new Set(),
  channels: new Set(['settings']),
}

const readColumns: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  users: userColumns,
  tokens: tokenColumns,
  channels: channelColumns,
}

/** Columns that may limit what is imported, and that the import does not read, as `table.column`. */
export function unreadLimits(tables: Tables): readonly string[] {
  return Object.entries(readColumns).flatMap(([table, read]) =>
    [...(tables.get(table) ?? [])]
      .filter((column) => !Object.hasOwn(read, column) && harmless[table]?.has(column) !== true)
      .filter((column) =>
        column
          .toLowerCase()
          .split('_')
          .some((word) => limitWords.has(word)),
      )
      .map((column) => `${table}.${column}`),
  )
}

function marksIn(tables: Tables, marks: readonly Mark[]): readonly Mark[] {
  return marks.filter(({ table, column }) => (column === undefined ? tables.has(table) : tables.get(table)?.has(column) === true))
}

const textOf = ({ table, column }: Mark): string => (column === undefined ? `table ${table}` : `${table}.${column}`)

/** Versions of new-api that store GitHub's ids instead of login names have this table. */
const githubIdsMark: Mark = { table: 'custom_oauth_providers' }

/** Whether `github_id` may be GitHub's login name, which anybody can take after it was given up. */
export function storesGithubLogins(tables: Tables, dialect: Dialect): boolean {
  if (dialect === 'new-api') return marksIn(tables, [githubIdsMark]).length === 0
  return dialect !== 'ezlinkai'
}
