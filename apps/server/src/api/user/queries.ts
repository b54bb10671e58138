import { type userOrders, userStatus } from '@sluice/contract'
import { sql, type Updateable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { containsText, listContains } from '../../db/contains-text.ts'
import { exactFirst, idIn } from '../../db/exact-first.ts'
import { onePage, type Page } from '../../db/one-page.ts'
import type { UserTable } from '../../db/schema.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'

const columns = [
  'id',
  'username',
  'display_name',
  'role',
  'status',
  'email',
  'github_id',
  'google_id',
  'oidc_id',
  'wechat_id',
  'lark_id',
  'quota',
  'used_quota',
  'request_count',
  'groups',
  'aff_code',
  'inviter_id',
  'created_time',
] as const

export type StoredUser = NonNullable<Awaited<ReturnType<typeof findUser>>>

/** Not a join, so that pages are read by the indexes of the accounts alone. */
const living = (db: Db) =>
  db
    .selectFrom('users')
    .select(columns)
    .select((build) =>
      build.selectFrom('second_factors').select('is_on').whereRef('second_factors.user_id', '=', 'users.id').as('second_factor'),
    )
    .where('status', '<>', userStatus.deleted)

/** Filters: 0 and empty mean all. */
interface UserListQuery extends Page {
  readonly order: (typeof userOrders)[number]
  readonly role: number
  readonly status: number
  readonly group: string
}

/** A group is one item of the list of an account, in its own case. */
function filtered(db: Db, { group, ...numbers }: Pick<UserListQuery, 'role' | 'status' | 'group'>) {
  const columns = (['role', 'status'] as const).filter((column) => numbers[column] !== 0)
  const matches = columns.reduce((query, column) => {
    const chosen = query.where(column, '=', numbers[column])
    // Most accounts have 1; for the others this, written out, lets the index of rare rows be used.
    return numbers[column] === 1 ? chosen : chosen.where(column, '<>', sql.lit(1))
  }, living(db))
  if (group === '') return matches
  const inGroup = matches.where(listContains('groups', group))
  // Most accounts have only this one; for the others this, written out, lets the index of accounts by groups be used.
  return group === defaultGroup ? inGroup : inGroup.where('groups', '<>', sql.lit(defaultGroup))
}

const defaultGroup = 'default'

const columnsOf = (order: UserListQuery['order']) => (order === '' ? ['id'] : [order, 'id'])

export async function listUsers(db: Db, { order, ...page }: UserListQuery) {
  return await onePage(filtered(db, page), 'users', { page, order: columnsOf(order) }).execute()
}

export async function searchUsers(db: Db, { keyword, order, ...page }: UserListQuery & { readonly keyword: string }) {
  const id = idIn(keyword)
  const exact = id === null ? undefined : await filtered(db, page).where('id', '=', id).executeTakeFirst()
  const matches = filtered(db, page).where((build) =>
    build.or([containsText('username', keyword), containsText('display_name', keyword), containsText('email', keyword)]),
  )
  const others = exact === undefined ? matches : matches.where('id', '<>', exact.id)
  return await exactFirst({
    page,
    exact,
    others: async (nextPage) => await onePage(others, 'users', { page: nextPage, order: columnsOf(order) }).execute(),
  })
}

export async function findUser(db: Db, id: number) {
  return await living(db).where('id', '=', id).executeTakeFirst()
}

export async function findUserByName(db: Db, username: string) {
  return await living(db).where('username', '=', username).executeTakeFirst()
}

interface FormOf {
  readonly userId: number
  readonly formId: string
}

/** The ledger's ref of an edit of a balance: the edits of a form are counted from 1. */
export const editRef = ({ userId, formId }: FormOf, number: number): string => `edit:${userId}:${formId}:${number}`

/** The ledger's ref of what a form adds to a balance. */
export const topUpRef = ({ userId, formId }: FormOf): string => `top-up:${userId}:${formId}`

/** What a form has added to the balance; `undefined`: nothing yet. */
export async function findTopUp(db: Db, form: FormOf): Promise<number | undefined> {
  const query = db.selectFrom('ledger').select('amount').where('kind', '=', 'top-up').where('ref', '=', topUpRef(form))
  return (await query.executeTakeFirst())?.amount
}

/** Edits of a form that are looked up at once. */
const editsAtOnce = 100

/** The sum and the number of the edits by which a form has changed the balance of its account so far. */
export async function sumFormEdits(db: Db, form: FormOf): Promise<{ readonly count: number; readonly change: number }> {
  let [count, change] = [0, 0]
  for (;;) {
    const refs = Array.from({ length: editsAtOnce }, (_, index) => editRef(form, count + index + 1))
    const entries = await db
      .selectFrom('ledger')
      .select('amount')
      .where('user_id', '=', form.userId)
      .where('kind', '=', 'admin')
      .where('ref', 'in', refs)
      .execute()
    count += entries.length
    change += entries.reduce((sum, { amount }) => sum + amount, 0)
    if (entries.length < editsAtOnce) return { count, change }
  }
}

/** `false` = another account has the name or the address. */
export async function updateUser(
  db: Db,
  id: number,
  change: Pick<
    Updateable<UserTable>,
    'username' | 'display_name' | 'email' | 'github_id' | 'lark_id' | 'wechat_id' | 'groups' | 'password_hash' | 'default_password'
  >,
): Promise<boolean> {
  try {
    await db.updateTable('users').set(change).where('id', '=', id).where('status', '<>', userStatus.deleted).execute()
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

interface Standing {
  readonly role: number
  readonly status: number
}

/** `false` = role or status were changed meanwhile. */
export async function setStanding(db: Db, id: number, { from, to }: { readonly from: Standing; readonly to: Standing }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ role: to.role, status: to.status })
    .where('id', '=', id)
    .where('role', '=', from.role)
    .where('status', '=', from.status)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
