import { role, userStatus } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { randomBase62 } from '../lib/id.ts'
import type { Passwords } from '../lib/passwords.ts'
import { type AccessChoice, findAccount, listAccounts, resetPassword } from './queries.ts'

type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>

/** About 119 bits. */
const newPasswordLength = 20

const pageRows = 500

const roleNames: Readonly<Record<number, string>> = { [role.user]: 'user', [role.admin]: 'admin', [role.root]: 'root' }
const statusNames: Readonly<Record<number, string>> = { [userStatus.enabled]: 'active', [userStatus.banned]: 'banned' }

interface PasswordReset extends AccessChoice {
  readonly username: string
}

/** Sets a new random password and ends the access of the account. @returns the password; `null` = no such account */
export async function setNewPassword(
  db: Db,
  passwords: Passwords,
  { username, keepsTokens }: PasswordReset,
): Promise<{ readonly password: string; readonly isBanned: boolean } | null> {
  const account = await findAccount(db, username)
  if (account === undefined) return null
  const password = randomBase62(newPasswordLength)
  await resetPassword(db, account.id, { passwordHash: await passwords.hash(password), keepsTokens })
  return { password, isBanned: account.status !== userStatus.enabled }
}

/** One line for each account, in the order of their ids. */
export async function* accountLines(db: Db): AsyncIterable<string> {
  yield lineOf(['id', 'username', 'role', 'status', 'email', 'login methods'])
  for (let last = 0; ; ) {
    const rows = await listAccounts(db, { after: last, limit: pageRows })
    for (const row of rows) {
      const { id, username, email } = row
      yield lineOf([
        id,
        username,
        roleNames[row.role] ?? row.role,
        statusNames[row.status] ?? row.status,
        email || '-',
        waysOf(row) || 'nothing',
      ])
    }
    last = rows.at(-1)?.id ?? 0
    if (rows.length < pageRows) return
  }
}

function waysOf({
  password_hash,
  default_password,
  github_id,
  google_id,
  oidc_id,
  wechat_id,
  lark_id,
  access_token_lookup,
}: Account): string {
  const password = default_password === 1 ? 'default password' : 'password'
  const ways = [
    password_hash === '' ? '' : password,
    github_id === '' ? '' : 'GitHub',
    google_id === '' ? '' : 'Google',
    oidc_id === '' ? '' : 'OpenID Connect',
    wechat_id === '' ? '' : 'WeChat',
    lark_id === '' ? '' : 'Lark',
    access_token_lookup === null ? '' : 'access token',
  ]
  return ways.filter((way) => way !== '').join(', ')
}

/** Tab-separated, for other programs. Control characters are replaced, because users choose their names. */
function lineOf(cells: readonly (string | number)[]): string {
  return cells.map((cell) => String(cell).replace(/\p{Cc}/gu, ' ')).join('\t')
}
