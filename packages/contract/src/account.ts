import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { noInput, nothing, says, text } from './parts.ts'
import { accountRow, currentPassword, displayName, newPassword, password, username } from './user-fields.ts'

/** Roles (specification, section 6). */
export const role = { user: 1, admin: 10, root: 100 } as const

/** User status (specification, section 4). A deleted account keeps its row, so that its ledger entries and log rows keep their owner. */
export const userStatus = { enabled: 1, banned: 2, deleted: 3 } as const

/** The answer of a login. Other keys of the family's user object are present and empty. */
export const loginUser = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
})

export const selfRow = z.extend(accountRow, {
  /** True while the account still has the built-in first password. */
  default_password: z.boolean(),
  /** False where other services are the only way to log in. */
  has_password: z.boolean(),
})
export type SelfRow = z.output<typeof selfRow>

/** One day of one model. The names stand in capitals, as consoles of this family read them. */
export const dashboardRow = z.object({
  /** YYYY-MM-DD, in UTC. */
  Day: z.string(),
  ModelName: z.string(),
  RequestCount: z.int(),
  Quota: z.int(),
  PromptTokens: z.int(),
  CompletionTokens: z.int(),
})
export type DashboardRow = z.output<typeof dashboardRow>

export const account = {
  /** Makes an account and does not log in. Whatever else a form sends is not read. */
  register: endpoint({
    method: 'POST',
    path: '/api/user/register',
    access: 'public',
    input: z.object({
      username,
      password,
      /** Both are read where e-mail addresses are verified. */
      email: text,
      verification_code: text,
      /** Invite code of who gets the reward; one that nobody has is no obstacle. */
      aff_code: z.pipe(text, z.string().check(z.maxLength(64, says('invalid_parameter')))),
      /** The bot check's answer, in the query. */
      turnstile: text,
    }),
    data: nothing,
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/user/login',
    access: 'public',
    input: z.object({
      username: z
        .string(says('login_incomplete'))
        .check(z.trim(), z.minLength(1, says('login_incomplete')), z.maxLength(256, says('login_failed'))),
      password: z.string(says('login_incomplete')).check(z.minLength(1, says('login_incomplete')), z.maxLength(1024, says('login_failed'))),
    }),
    data: loginUser,
  }),
  logout: endpoint({ method: 'GET', path: '/api/user/logout', access: 'public', input: noInput, data: nothing, sideEffect: true }),
  self: endpoint({ method: 'GET', path: '/api/user/self', access: 'user', input: noInput, data: selfRow }),
  /**
   * Only these three can be changed here; what is missing or null stays, and so does an empty password. Another one takes a login of the last ten minutes or the
   * current password, and of an account that has none yet the code that was sent to its address. No access token changes a password.
   */
  updateSelf: endpoint({
    method: 'PUT',
    path: '/api/user/self',
    access: 'user',
    input: z.object({
      username: z.optional(z.nullable(username)),
      display_name: z.optional(z.nullable(displayName)),
      password: newPassword,
      current_password: currentPassword,
      /** Of `GET /api/verification` with the own address. */
      verification_code: z.pipe(text, z.string().check(z.maxLength(64, says('invalid_parameter')))),
    }),
    data: nothing,
  }),
  /** Deletes the own account; root's is refused. */
  removeSelf: endpoint({ method: 'DELETE', path: '/api/user/self', access: 'user', input: noInput, data: nothing }),
  /**
   * A new system access token; the one before is worth nothing from then on. It is shown here and nowhere again. Takes a login of the
   * last ten minutes.
   */
  accessToken: endpoint({
    method: 'GET',
    path: '/api/user/token',
    access: 'user',
    input: noInput,
    data: z.string(),
    sideEffect: true,
  }),
  /** The same for a login that is longer ago: with the current password. */
  newAccessToken: endpoint({
    method: 'POST',
    path: '/api/user/token',
    access: 'user',
    input: z.object({ current_password: currentPassword }),
    data: z.string(),
  }),
  /** The own invite code, made where there is none yet. */
  inviteCode: endpoint({ method: 'GET', path: '/api/user/aff', access: 'user', input: noInput, data: z.string(), sideEffect: true }),
  /** Own consumption of seven days ending today. */
  dashboard: endpoint({
    method: 'GET',
    path: '/api/user/dashboard',
    access: 'user',
    input: noInput,
    data: z.array(dashboardRow),
  }),
  availableModels: endpoint({
    method: 'GET',
    path: '/api/user/available_models',
    access: 'user',
    input: noInput,
    data: z.array(z.string()),
  }),
}
