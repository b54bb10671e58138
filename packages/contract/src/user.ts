import * as z from 'zod/mini'
import { accessTokensOf } from './access-token.ts'
import { exportParams, fileStream } from './csv.ts'
import { endpoint } from './endpoint.ts'
import { bindingName } from './oauth.ts'
import {
  baselineFields,
  byId,
  cleanList,
  emailAddress,
  formId,
  id,
  nothing,
  page,
  queryNumber,
  quota,
  says,
  search,
  searchText,
} from './parts.ts'
import {
  accountRow,
  currentPassword,
  displayName,
  newPassword,
  newUsername,
  optionalDisplayName,
  password,
  revokesTokens,
  username,
} from './user-fields.ts'

/** An account as administrators see it. */
export const userRow = z.extend(accountRow, {
  /** Seconds since the epoch. */
  created_time: z.int(),
  /** Logins to the account require a second factor. */
  second_factor: z.boolean(),
})
export type UserRow = z.output<typeof userRow>

/** Fields of which an update can say what its form showed. The balance is sent as a difference, so it needs none. */
export const userBaselineFields = ['username', 'display_name', 'email', 'group'] as const

/** A row in an exported file. */
export const exportedUser = z.omit(userRow, { password: true })

/** The row that a form is filled from. */
const userForm = z.extend(userRow, {
  /** A copy of `quota` and the id of this form. Sent back, they let the server know which value the form showed. */
  quota_was: z.int(),
  form_id: z.string(),
})

export const userOrders = ['', 'quota', 'used_quota', 'request_count'] as const

const order = z._default(z.catch(z.enum(userOrders), ''), '')

/** Filters of the list and the search; 0 and empty mean all. */
const filters = { role: queryNumber, status: queryNumber, group: searchText }

/** Missing and null leave the field unchanged. */
const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema))

const group = z.pipe(
  z.string(says('invalid_parameter')).check(z.maxLength(1024, says('groups_too_long'))),
  z.transform((list: string) => cleanList(list) || 'default'),
)

export const userActions = ['promote', 'demote', 'delete', 'disable', 'enable'] as const
export type UserAction = (typeof userActions)[number]

export const user = {
  list: endpoint({
    method: 'GET',
    path: '/api/user/',
    access: 'admin',
    input: z.extend(page, { order, ...filters }),
    data: z.array(userRow),
  }),
  /** Finds accounts by id, and by parts of username, display name and e-mail address. */
  search: endpoint({
    method: 'GET',
    path: '/api/user/search',
    access: 'admin',
    input: z.extend(search, { order, ...filters }),
    data: z.array(userRow),
  }),
  /** All matching rows as a file, newest first. */
  export: endpoint({
    method: 'GET',
    path: '/api/user/export',
    access: 'admin',
    input: z.object({ keyword: searchText, ...filters, ...exportParams }),
    data: fileStream,
    fileRow: exportedUser,
  }),
  get: endpoint({ method: 'GET', path: '/api/user/:id', access: 'admin', input: byId, data: userForm }),
  /** Creates an ordinary account, whatever role the body names. */
  create: endpoint({
    method: 'POST',
    path: '/api/user/',
    access: 'admin',
    scope: 'user:credentials',
    input: z.object({ username: newUsername, display_name: optionalDisplayName, password }),
    data: z.object({ id: z.int() }),
  }),
  /**
   * Missing and null fields stay unchanged, and so does the password if it is empty; other members are ignored. `quota` changes the
   * balance by its difference to the value that the form showed (`quota_was`) or sent last (`form_id`), so that what the account spent or
   * received meanwhile is kept. Without `quota_was` the balance is set to it.
   */
  update: endpoint({
    method: 'PUT',
    path: '/api/user/',
    access: 'admin',
    credentialParts: ['username', 'password', 'email'],
    input: z
      .object({
        id,
        username: maybe(username),
        display_name: maybe(displayName),
        password: newPassword,
        /** With a new password. */
        revoke_access_tokens: revokesTokens,
        /** Needed to rename an account, or to change the own password, if the login is older than ten minutes. */
        current_password: currentPassword,
        email: maybe(z.union([z.literal(''), emailAddress], says('email_invalid'))),
        group: maybe(group),
        quota: maybe(z.int(says('quota_invalid'))),
        quota_was: maybe(z.int(says('quota_invalid'))),
        form_id: maybe(formId),
        shown: baselineFields(userRow, userBaselineFields),
      })
      // A form may send back the balance below 0 that it showed; no other balance below 0 is accepted.
      .check(
        z.refine(({ quota, quota_was }) => (quota ?? 0) >= 0 || quota === quota_was, { error: says('quota_invalid'), path: ['quota'] }),
      ),
    data: nothing,
  }),
  manage: endpoint({
    method: 'POST',
    path: '/api/user/manage',
    access: 'admin',
    credentialParts: ['promote', 'demote', 'delete'],
    input: z.object({
      username,
      action: z.enum(userActions, says('user_action_unknown')),
      /** With `disable` and `promote`: tokens made before would have an administrator's rights. */
      revoke_access_tokens: revokesTokens,
    }),
    data: z.object({ role: z.int(), status: z.int() }),
  }),
  remove: endpoint({ method: 'DELETE', path: '/api/user/:id', access: 'admin', scope: 'user:credentials', input: byId, data: nothing }),
  /** Removes a binding that the owner has lost. */
  unbind: endpoint({
    method: 'POST',
    path: '/api/user/unbind',
    access: 'admin',
    scope: 'user:credentials',
    input: z.object({ id, way: bindingName }),
    data: nothing,
  }),
  /** The access tokens of an account of a lower role. */
  accessTokens: endpoint({
    method: 'GET',
    path: '/api/user/:id/access_tokens',
    access: 'admin',
    input: byId,
    data: z.object(accessTokensOf),
  }),
  /** Revokes one of them, or the system access token, whose `token` is `system`. */
  removeAccessToken: endpoint({
    method: 'DELETE',
    path: '/api/user/:id/access_tokens/:token',
    access: 'admin',
    scope: 'user:credentials',
    input: z.object({ id, token: z.union([z.literal('system'), id], says('invalid_parameter')) }),
    data: nothing,
  }),
  topUp: endpoint({
    method: 'POST',
    path: '/api/topup',
    access: 'admin',
    input: z.object({
      user_id: id,
      quota,
      /** Shown to the user in the log. */
      remark: z.optional(z.nullable(z.string().check(z.maxLength(255, says('remark_too_long'))))),
      /** Sent again with the same id, because the response was lost, it adds nothing more. */
      form_id: z.optional(z.nullable(formId)),
    }),
    data: nothing,
  }),
}
