import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { noInput, nothing, page, says, textOf } from './parts.ts'
import { creatableTaskKinds } from './task.ts'
import { accountRow, currentPassword, displayName, newPassword, newUsername, password, revokesTokens, username } from './user-fields.ts'

/** Roles (specification, section 6). */
export const role = { user: 1, admin: 10, root: 100 } as const

/** User status (specification, section 4). A deleted account keeps its row, so that its ledger entries and log rows keep their owner. */
export const userStatus = { enabled: 1, banned: 2, deleted: 3 } as const

/** The response of a login. Other keys of the family's user object are present and empty. */
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
  /** The account has no password yet, and its setup link is valid. */
  setup_pending: z.boolean(),
  /** False if other services are the only way to log in. */
  has_password: z.boolean(),
  /** Whether this session began with a login of the last ten minutes, so that it may change credentials. */
  recent_login: z.boolean(),
  /** Logins require a second factor, which the current password does not replace. */
  second_factor: z.boolean(),
})
export type SelfRow = z.output<typeof selfRow>

/** An account that registered by one's invitation. */
const invitedRow = z.object({
  id: z.int(),
  /** Empty = the account was deleted. */
  username: z.string(),
  /** Seconds since the epoch. */
  created_time: z.int(),
  /** Quota that the inviter received for it. */
  earned: z.int(),
})

/** One day of one model. The names are capitalized for compatible consoles. */
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
  /** Creates an account and does not log in. Other members of a form are ignored. */
  register: endpoint({
    method: 'POST',
    path: '/api/user/register',
    access: 'public',
    input: z.object({
      username: newUsername,
      password,
      /** The password as it was typed again; the form compares both. */
      password2: textOf(1_024, 'password_too_long'),
      /** Both are used if e-mail verification is on. */
      email: textOf(1_024, 'email_invalid'),
      verification_code: textOf(1_024, 'invalid_parameter'),
      /** The inviter's code; an unknown one is ignored. */
      aff_code: textOf(64, 'invalid_parameter'),
      /** The token of the bot check, in the query. */
      turnstile: textOf(2_048, 'turnstile_failed'),
    }),
    data: nothing,
    inQuery: ['turnstile'],
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
  /** Logs in as the root account that has no password yet. The setup link has the secret behind `#`, and stays valid until there is a password. */
  setup: endpoint({
    method: 'POST',
    path: '/api/user/setup',
    access: 'public',
    input: z.object({
      secret: z
        .string(says('setup_link_invalid'))
        .check(z.trim(), z.minLength(1, says('setup_link_invalid')), z.maxLength(128, says('setup_link_invalid'))),
    }),
    data: loginUser,
  }),
  logout: endpoint({
    method: 'GET',
    path: '/api/user/logout',
    access: 'public',
    input: noInput,
    data: nothing,
    sideEffect: true,
    knowsCaller: true,
  }),
  self: endpoint({ method: 'GET', path: '/api/user/self', access: 'user', input: noInput, data: selfRow }),
  /**
   * Changes only these three; missing and null members stay, and so does an empty password. Another username or password needs a login of
   * the last ten minutes or the current password; the first password of an account needs the code that was sent to its address. Access
   * tokens can change neither. A new password ends the other sessions.
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
      /** From `GET /api/verification` with the own address. */
      verification_code: textOf(64, 'invalid_parameter'),
      /** With a new password. */
      revoke_access_tokens: revokesTokens,
    }),
    data: nothing,
  }),
  /** Deletes the own account; root's is refused. Needs a login of the last ten minutes. */
  removeSelf: endpoint({ method: 'DELETE', path: '/api/user/self', access: 'user', input: noInput, data: nothing, needsSession: true }),
  /**
   * Creates a new system access token and revokes the old one. It is shown only in this response. Needs a login of the last ten minutes.
   */
  accessToken: endpoint({
    method: 'GET',
    path: '/api/user/token',
    access: 'user',
    input: noInput,
    data: z.string(),
    sideEffect: true,
    needsSession: true,
  }),
  /** Replaces the system access token when the login is older, with the current password. */
  newAccessToken: endpoint({
    method: 'POST',
    path: '/api/user/token',
    access: 'user',
    input: z.object({ current_password: currentPassword }),
    data: z.string(),
    needsSession: true,
  }),
  /** Revokes the system access token. */
  removeAccessToken: endpoint({
    method: 'DELETE',
    path: '/api/user/token',
    access: 'user',
    input: noInput,
    data: nothing,
    needsSession: true,
  }),
  /** The own invite code; created if there is none yet. */
  inviteCode: endpoint({ method: 'GET', path: '/api/user/aff', access: 'user', input: noInput, data: z.string(), sideEffect: true }),
  /** Who registered by the own invitation, the newest first, and what this earned. */
  invited: endpoint({
    method: 'GET',
    path: '/api/user/invited',
    access: 'user',
    input: page,
    data: z.object({
      /** All accounts and all quota, not only those of the page. */
      count: z.int(),
      earned: z.int(),
      rows: z.array(invitedRow),
    }),
  }),
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
    /** Only models that make tasks of this kind; empty = all. */
    input: z.object({ kind: z._default(z.catch(z.enum(['', ...creatableTaskKinds]), ''), '') }),
    data: z.array(z.string()),
  }),
}
