import * as z from 'zod/mini'
import { loginUser } from './account.ts'
import { endpoint } from './endpoint.ts'
import { id, lengthMax, noInput, nothing, says } from './parts.ts'
import { revokesTokens } from './user-fields.ts'

/** Most passkeys of one account. */
export const passkeysMax = 20

const passkeyRow = z.object({
  id: z.int(),
  name: z.string(),
  /** The host name that it is valid for. */
  host: z.string(),
  /** Seconds since the epoch. */
  created_time: z.int(),
  /** The last login by it; 0 = none. */
  used_time: z.int(),
})
export type PasskeyRow = z.output<typeof passkeyRow>

const passkeyName = z
  .string(says('passkey_name_required'))
  .check(z.trim(), z.minLength(1, says('passkey_name_required')), z.maxLength(64, says('passkey_name_too_long')))

/** Options for the browser, as WebAuthn's `parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON` take them. */
const browserOptions = z.record(z.string(), z.unknown())

const base64url = z
  .string(says('passkey_invalid'))
  .check(lengthMax(65_536, 'passkey_invalid'), z.regex(/^[\w-]+$/, says('passkey_invalid')))

/** Members common to both responses of a browser (`PublicKeyCredential.toJSON`). Other members are ignored. */
const credential = { id: base64url, rawId: base64url, type: z.literal('public-key', says('passkey_invalid')) }

const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.optional(
      z
        .array(z.string().check(lengthMax(32, 'passkey_invalid'), z.regex(/^[\w-]{1,32}$/, says('passkey_invalid'))))
        .check(z.maxLength(16, says('passkey_invalid'))),
    ),
  }),
})

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.optional(z.nullable(base64url)),
  }),
})

/** Passkeys (WebAuthn) of the own account, and logins by them. Changes need a login of the last ten minutes. */
export const passkey = {
  list: endpoint({
    method: 'GET',
    path: '/api/passkey/',
    access: 'user',
    input: noInput,
    data: z.array(passkeyRow),
    needsSession: true,
  }),
  /** Begins to add one: options with a challenge that is valid once, for this browser and account. */
  begin: endpoint({ method: 'POST', path: '/api/passkey/begin', access: 'user', input: noInput, data: browserOptions, needsSession: true }),
  create: endpoint({
    method: 'POST',
    path: '/api/passkey/',
    access: 'user',
    input: z.object({ name: passkeyName, credential: attestation }),
    data: passkeyRow,
    needsSession: true,
  }),
  rename: endpoint({
    method: 'PUT',
    path: '/api/passkey/',
    access: 'user',
    input: z.object({ id, name: passkeyName }),
    data: nothing,
    needsSession: true,
  }),
  /** Ends the other sessions. Two-factor authentication is off afterwards unless an authenticator app or another passkey is left. */
  remove: endpoint({
    method: 'DELETE',
    path: '/api/passkey/:id',
    access: 'user',
    input: z.object({ id, revoke_access_tokens: revokesTokens }),
    data: nothing,
    needsSession: true,
  }),
  /**
   * Begins a login. If this browser has begun a login that awaits its second factor, the passkeys of that account are requested;
   * otherwise any that the browser has, and the person is verified by the authenticator.
   */
  beginLogin: endpoint({
    method: 'POST',
    path: '/api/user/login/passkey/begin',
    access: 'public',
    input: z.object({ is_second_step: z._default(z.boolean(says('invalid_parameter')), false) }),
    data: browserOptions,
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/user/login/passkey',
    access: 'public',
    input: z.object({ credential: assertion }),
    data: loginUser,
  }),
}
