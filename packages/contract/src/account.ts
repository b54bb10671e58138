import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { noInput, nothing, says, text } from './parts.ts'

/** Roles (specification, section 6). */
export const role = { user: 1, admin: 10, root: 100 } as const

/** User status (specification, section 4). */
export const userStatus = { enabled: 1, banned: 2 } as const

/** Password length in characters: at least 8 (specification, section 5); the upper limit only keeps hashing cheap. */
export const passwordLength = { min: 8, max: 128 } as const

/** The answer of a login. Other keys of the family's user object are present and empty. */
export const loginUser = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
})

export const selfRow = z.object({
  id: z.int(),
  username: z.string(),
  /** Always empty. */
  password: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
  email: z.string(),
  github_id: z.string(),
  wechat_id: z.string(),
  lark_id: z.string(),
  quota: z.int(),
  used_quota: z.int(),
  request_count: z.int(),
  /** Comma list. */
  group: z.string(),
  aff_code: z.string(),
  inviter_id: z.int(),
  /** True while the account still has the built-in first password. */
  default_password: z.boolean(),
})
export type SelfRow = z.output<typeof selfRow>

const username = z
  .string(says('username_required'))
  .check(z.trim(), z.minLength(1, says('username_required')), z.maxLength(64, says('username_too_long')))
const newPassword = z.pipe(
  text,
  z.string().check(
    z.refine((password) => password === '' || [...password].length >= passwordLength.min, says('password_too_short')),
    z.refine((password) => [...password].length <= passwordLength.max, says('password_too_long')),
  ),
)

export const account = {
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
  /** Only these three can be changed here; an empty password stays as it is. */
  updateSelf: endpoint({
    method: 'PUT',
    path: '/api/user/self',
    access: 'user',
    input: z.object({
      username,
      display_name: z.pipe(text, z.string().check(z.trim(), z.maxLength(64, says('display_name_too_long')))),
      password: newPassword,
    }),
    data: nothing,
  }),
  availableModels: endpoint({
    method: 'GET',
    path: '/api/user/available_models',
    access: 'user',
    input: noInput,
    data: z.array(z.string()),
  }),
}
