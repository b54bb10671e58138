import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { emailAddress, nothing, says, textOf } from './parts.ts'
import { revokesTokens } from './user-fields.ts'

/** The token of the bot check, if the check is on. */
const turnstile = textOf(2_048, 'turnstile_failed')

/** Mails that prove an address: codes, and links that set a new password. */
export const verification = {
  /** Sends a code, for a registration or for the signed-in account. */
  sendCode: endpoint({
    method: 'GET',
    path: '/api/verification',
    access: 'public',
    input: z.object({ email: emailAddress, turnstile }),
    data: nothing,
    sideEffect: true,
    knowsCaller: true,
    needsSession: true,
  }),
  /** The response does not reveal whether an account has the address. */
  requestReset: endpoint({
    method: 'GET',
    path: '/api/reset_password',
    access: 'public',
    input: z.object({ email: emailAddress, turnstile }),
    data: nothing,
    sideEffect: true,
  }),
  /** Ends every session of the account. @returns the new password */
  reset: endpoint({
    method: 'POST',
    path: '/api/user/reset',
    access: 'public',
    input: z.object({
      email: emailAddress,
      token: z.string(says('reset_link_invalid')).check(z.maxLength(256, says('reset_link_invalid'))),
      revoke_access_tokens: revokesTokens,
    }),
    data: z.string(),
  }),
}
