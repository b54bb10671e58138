import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { byId, cleanList, emailAddress, formId, id, nothing, page, quota, says, search } from './parts.ts'
import { accountRow, currentPassword, displayName, newPassword, optionalDisplayName, password, username } from './user-fields.ts'

/** An account as administrators see it. */
export const userRow = z.extend(accountRow, {
  /** Seconds since the epoch. */
  created_time: z.int(),
})
export type UserRow = z.output<typeof userRow>

/** The row that a form is filled from. */
const userForm = z.extend(userRow, {
  /** `quota` once more, and the name of this form: sent back, they tell the server what the form was looking at. */
  quota_was: z.int(),
  form_id: z.string(),
})

export const userOrders = ['', 'quota', 'used_quota', 'request_count'] as const

/** Missing and null mean "as it is". */
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
    input: z.extend(page, { order: z._default(z.catch(z.enum(userOrders), ''), '') }),
    data: z.array(userRow),
  }),
  /** By id, and by parts of username, display name and e-mail address. */
  search: endpoint({ method: 'GET', path: '/api/user/search', access: 'admin', input: search, data: z.array(userRow) }),
  get: endpoint({ method: 'GET', path: '/api/user/:id', access: 'admin', input: byId, data: userForm }),
  /** An ordinary account, whatever role the body names. */
  create: endpoint({
    method: 'POST',
    path: '/api/user/',
    access: 'admin',
    input: z.object({ username, display_name: optionalDisplayName, password }),
    data: nothing,
  }),
  /**
   * What is missing or null stays, and so does an empty password; what is not named here is not read. The quota of a form changes the
   * balance by the difference to what the form was shown (`quota_was`), or sent last (`form_id`), so that what the account spent and was
   * given meanwhile stays. Without `quota_was` the balance is set to the number.
   */
  update: endpoint({
    method: 'PUT',
    path: '/api/user/',
    access: 'admin',
    input: z
      .object({
        id,
        username: maybe(username),
        display_name: maybe(displayName),
        password: newPassword,
        /** For the own password, where the login is longer than ten minutes ago. */
        current_password: currentPassword,
        email: maybe(z.union([z.literal(''), emailAddress], says('email_invalid'))),
        group: maybe(group),
        quota: maybe(z.int(says('quota_invalid'))),
        quota_was: maybe(z.int(says('quota_invalid'))),
        form_id: maybe(formId),
      })
      // A form brings back a balance below 0 as it found it; nobody sets one.
      .check(
        z.refine(({ quota, quota_was }) => (quota ?? 0) >= 0 || quota === quota_was, { error: says('quota_invalid'), path: ['quota'] }),
      ),
    data: nothing,
  }),
  manage: endpoint({
    method: 'POST',
    path: '/api/user/manage',
    access: 'admin',
    input: z.object({ username, action: z.enum(userActions, says('user_action_unknown')) }),
    data: z.object({ role: z.int(), status: z.int() }),
  }),
  remove: endpoint({ method: 'DELETE', path: '/api/user/:id', access: 'admin', input: byId, data: nothing }),
  topUp: endpoint({
    method: 'POST',
    path: '/api/topup',
    access: 'admin',
    input: z.object({
      user_id: id,
      quota,
      /** What the user reads in the log. */
      remark: z.optional(z.nullable(z.string().check(z.maxLength(255, says('remark_too_long'))))),
    }),
    data: nothing,
  }),
}
