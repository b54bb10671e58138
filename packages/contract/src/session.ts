import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { lengthMax, noInput, nothing, says } from './parts.ts'

/** A login of an account that has not ended. */
const sessionRow = z.object({
  /** Names the session and opens nothing. */
  id: z.string(),
  /** The session of this call. */
  is_current: z.boolean(),
  /** Header of the browser or program at the login. */
  user_agent: z.string(),
  /** Address of the client at the login. */
  address: z.string(),
  /** How the login was authenticated, such as `password,app` or `passkey`; empty = unknown. */
  way: z.string(),
  /** Seconds since the epoch. */
  created_at: z.int(),
  /** The last use, to within an hour. */
  seen_at: z.int(),
})
export type SessionRow = z.output<typeof sessionRow>

/** The sessions of the own account. */
export const session = {
  /** The one of this call first, then the last used one. */
  list: endpoint({
    method: 'GET',
    path: '/api/session/',
    access: 'user',
    input: noInput,
    data: z.array(sessionRow),
    needsSession: true,
  }),
  /** Ends one session, also the one of this call. */
  remove: endpoint({
    method: 'DELETE',
    path: '/api/session/:id',
    access: 'user',
    input: z.object({
      id: z
        .string(says('invalid_parameter'))
        .check(lengthMax(32, 'invalid_parameter'), z.regex(/^[0-9a-f]{32}$/, says('invalid_parameter'))),
    }),
    data: nothing,
    needsSession: true,
  }),
  /** Ends all sessions but the one of this call. @returns how many */
  removeOthers: endpoint({
    method: 'DELETE',
    path: '/api/session/',
    access: 'user',
    input: noInput,
    data: z.int(),
    needsSession: true,
  }),
}
