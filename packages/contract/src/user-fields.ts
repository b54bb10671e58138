import * as z from 'zod/mini'
import { lengthMax, says, textOf } from './parts.ts'
import { usernameProblem } from './username.ts'

/** Password length in characters, each of at most two UTF-16 units: at least 8 (specification, section 5); the upper limit keeps hashing cheap. */
const passwordLength = { min: 8, max: 128 } as const

/** Most characters of a name. */
const usernameMax = 64

/** Of an existing account: those that were imported or created earlier may have any characters. */
export const username = z
  .string(says('username_required'))
  .check(z.trim(), z.minLength(1, { error: says('username_required'), abort: true }), lengthMax(usernameMax, 'username_too_long'))

/** Of a new account. */
export const newUsername = username.check((name) => {
  const problem = usernameProblem(name.value)
  if (problem !== null) name.issues.push({ code: 'custom', input: name.value, message: says(problem) })
})

export const displayName = z.string(says('invalid_parameter')).check(z.trim(), z.maxLength(64, says('display_name_too_long')))

/** Missing and null mean empty. */
export const optionalDisplayName = z.pipe(textOf(1_024, 'display_name_too_long'), displayName)

const isLongEnough = (password: string): boolean => [...password].length >= passwordLength.min
const isShortEnough = (password: string): boolean => [...password].length <= passwordLength.max

/** Of a new account. */
export const password = z
  .string(says('password_too_short'))
  .check(
    lengthMax(passwordLength.max * 2, 'password_too_long'),
    z.refine(isLongEnough, says('password_too_short')),
    z.refine(isShortEnough, says('password_too_long')),
  )

/** Of an existing account; empty = unchanged. */
export const newPassword = z.pipe(
  textOf(passwordLength.max * 2, 'password_too_long'),
  z.string().check(
    z.refine((password) => password === '' || isLongEnough(password), says('password_too_short')),
    z.refine(isShortEnough, says('password_too_long')),
  ),
)

/** The present password, which replaces a recent login; empty = not given. */
export const currentPassword = textOf(1_024, 'invalid_parameter')

/** Whether the account's access tokens of both kinds are revoked too, so that nobody keeps access by one. In a query it is a text. */
export const revokesTokens = z._default(
  z.pipe(
    z.union([z.boolean(), z.enum(['true', 'false'])], says('invalid_parameter')),
    z.transform((choice: boolean | 'true' | 'false') => choice === true || choice === 'true'),
  ),
  true,
)

/** The fields of an account that its owner and administrators see. */
export const accountRow = z.object({
  id: z.int(),
  username: z.string(),
  /** Always empty. */
  password: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
  email: z.string(),
  github_id: z.string(),
  google_id: z.string(),
  /** Issuer and subject at the OpenID provider. */
  oidc_id: z.string(),
  wechat_id: z.string(),
  lark_id: z.string(),
  quota: z.int(),
  used_quota: z.int(),
  request_count: z.int(),
  /** Comma list. */
  group: z.string(),
  aff_code: z.string(),
  inviter_id: z.int(),
})
