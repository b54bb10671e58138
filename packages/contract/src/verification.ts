import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { emailAddress, nothing, says, text } from './parts.ts'

/** The bot check's answer, where the check is on. */
const turnstile = z.pipe(text, z.string().check(z.maxLength(2048, says('turnstile_failed'))))

/** Proof of an e-mail address: codes, and links that set a new password. */
export const verification = {
  /** Sends a code: for a registration, or for the account that is signed in. */
  sendCode: endpoint({
    method: 'GET',
    path: '/api/verification',
    access: 'public',
    input: z.object({ email: emailAddress, turnstile }),
    data: nothing,
    sideEffect: true,
    knowsCaller: true,
  }),
  /** Answers the same whether an account has the address or not. */
  requestReset: endpoint({
    method: 'GET',
    path: '/api/reset_password',
    access: 'public',
    input: z.object({ email: emailAddress, turnstile }),
    data: nothing,
    sideEffect: true,
  }),
  /** Answers the new password. */
  reset: endpoint({
    method: 'POST',
    path: '/api/user/reset',
    access: 'public',
    input: z.object({
      email: emailAddress,
      token: z.string(says('reset_link_invalid')).check(z.maxLength(256, says('reset_link_invalid'))),
    }),
    data: z.string(),
  }),
}
