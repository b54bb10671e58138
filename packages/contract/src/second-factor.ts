import * as z from 'zod/mini'
import { loginUser } from './account.ts'
import { endpoint } from './endpoint.ts'
import { id, noInput, nothing, says, unreadableOf } from './parts.ts'
import { revokesTokens } from './user-fields.ts'

/** What can serve as the second factor of a login: the code of an authenticator app or a recovery code, or a passkey. */
export const secondSteps = ['code', 'passkey'] as const
export type SecondStep = (typeof secondSteps)[number]

/** Codes as people type them, with spaces and dashes. */
const code = z
  .string(says('two_factor_code_required'))
  .check(z.trim(), z.minLength(1, says('two_factor_code_required')), z.maxLength(64, says('two_factor_code_invalid')))

/** Shown in this response only; those from before stop working. */
const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) })

const state = z.object({
  /** A login by password or by another service asks for a second factor. */
  is_on: z.boolean(),
  /** An authenticator app is set up. */
  has_app: z.boolean(),
  /** The app's codes are refused until it is removed and set up again. */
  unreadable: unreadableOf(['app']),
  /** Unused recovery codes. */
  recovery_codes: z.int(),
  /** The account may not act as an administrator before it has one. */
  is_missing: z.boolean(),
})
export type SecondFactorState = z.output<typeof state>

/** The second factor of the own account. Every change needs a login of the last ten minutes. */
export const secondFactor = {
  get: endpoint({ method: 'GET', path: '/api/second_factor/', access: 'user', input: noInput, data: state, needsSession: true }),
  /**
   * Turns two-factor authentication on, which needs an authenticator app or a passkey, or off. Turning it on returns recovery codes; turning
   * it off ends the other sessions.
   */
  update: endpoint({
    method: 'PUT',
    path: '/api/second_factor/',
    access: 'user',
    input: z.object({
      is_on: z.boolean(says('invalid_parameter')),
      /** Where it is turned off. */
      revoke_access_tokens: revokesTokens,
    }),
    data: recoveryCodes,
    needsSession: true,
  }),
  /** A new secret for an authenticator app. It counts once a code of it has confirmed it. */
  beginApp: endpoint({
    method: 'POST',
    path: '/api/second_factor/app',
    access: 'user',
    input: noInput,
    data: z.object({
      /** In base32. */
      secret: z.string(),
      /** `otpauth://...`, as apps read it from an image. */
      uri: z.string(),
    }),
    needsSession: true,
  }),
  /** Confirms the app by one of its codes, and turns two-factor authentication on. */
  confirmApp: endpoint({
    method: 'POST',
    path: '/api/second_factor/app/confirm',
    access: 'user',
    input: z.object({ code }),
    data: recoveryCodes,
    needsSession: true,
  }),
  /** Removes the app, and ends the other sessions. Two-factor authentication is off afterwards unless a passkey is left. */
  removeApp: endpoint({
    method: 'DELETE',
    path: '/api/second_factor/app',
    access: 'user',
    input: z.object({ revoke_access_tokens: revokesTokens }),
    data: nothing,
    needsSession: true,
  }),
  renewCodes: endpoint({
    method: 'POST',
    path: '/api/second_factor/recovery_codes',
    access: 'user',
    input: noInput,
    data: recoveryCodes,
    needsSession: true,
  }),
  /** Completes the login that this browser has begun, by a code of the app or a recovery code. */
  login: endpoint({ method: 'POST', path: '/api/user/login/code', access: 'public', input: z.object({ code }), data: loginUser }),
  /** Removes every second factor and passkey of an account of a lower role, because its owner has lost them, and ends its sessions. */
  clear: endpoint({
    method: 'POST',
    path: '/api/user/second_factor/clear',
    access: 'admin',
    scope: 'user:credentials',
    input: z.object({ id, revoke_access_tokens: revokesTokens }),
    data: nothing,
  }),
}
