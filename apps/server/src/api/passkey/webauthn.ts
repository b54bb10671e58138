import { isIP } from 'node:net'
import type { contract, ParsedInputOf } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { tryParseJson } from '../../lib/parse-json.ts'

// The library takes time and memory, and most servers have nobody who uses passkeys, so it is loaded at the first use.
async function library() {
  // A part of the library needs it, and the built executable leaves out what that imports for its effect alone.
  await import('reflect-metadata')
  return await import('@simplewebauthn/server')
}
const helpers = () => import('@simplewebauthn/server/helpers')

type Attestation = ParsedInputOf<typeof contract.passkey.create>['credential']
type Assertion = ParsedInputOf<typeof contract.passkey.login>['credential']

/** Where a passkey is used: it is valid for one host name, and only pages of this origin may ask for it. */
export interface Place {
  readonly origin: string
  readonly host: string
}

/** A stored passkey. */
interface Stored {
  readonly credential_id: string
  readonly public_key: string
  readonly counter: number
  readonly transports: string
}

interface CredentialDescriptor {
  readonly id: string
  readonly transports: string[]
}

const timeoutMs = 300_000

/** @throws AppError passkey_host: browsers allow passkeys for host names over https and for localhost only */
export function placeOf(origin: string): Place {
  const url = URL.parse(origin)
  const host = url?.hostname ?? ''
  const isSecure = url?.protocol === 'https:' || host === 'localhost' || host.endsWith('.localhost')
  if (url === null || !isSecure || isIP(host.replace(/^\[|\]$/g, '')) !== 0) throw new AppError('passkey_host')
  return { origin: url.origin, host }
}

/** Names a passkey for a browser. */
export const named = ({ credential_id, transports }: Pick<Stored, 'credential_id' | 'transports'>): CredentialDescriptor => ({
  id: credential_id,
  transports: transports === '' ? [] : transports.split(','),
})

interface Creation {
  readonly place: Place
  readonly system: string
  readonly user: { readonly username: string; readonly handle: string }
  readonly present: readonly CredentialDescriptor[]
}

export async function creationOptions({ place, system, user, present }: Creation) {
  const { generateRegistrationOptions } = await library()
  return await generateRegistrationOptions({
    rpName: system,
    rpID: place.host,
    userName: user.username,
    userID: new Uint8Array(Buffer.from(user.handle, 'utf8')),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: [...present],
    // Discoverable passkeys that verify the person serve as the only factor; others as second factor.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
}

/** @param present `null` = any passkey, which must verify the person */
export async function requestOptions({ host }: Place, present: readonly CredentialDescriptor[] | null) {
  const { generateAuthenticationOptions } = await library()
  return await generateAuthenticationOptions({
    rpID: host,
    timeout: timeoutMs,
    userVerification: present === null ? 'required' : 'preferred',
    ...(present === null ? {} : { allowCredentials: [...present] }),
  })
}

/** The challenge in the response of a browser; empty = it cannot be read. */
export function challengeOf(clientDataJSON: string): string {
  const data = tryParseJson(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
  const challenge = typeof data === 'object' && data !== null && 'challenge' in data ? data.challenge : ''
  return typeof challenge === 'string' ? challenge : ''
}

/**
 * Whether an authenticator vouches for itself at most, which is all that is requested. For others the library would verify a chain of
 * certificates and fetch their revocation lists from addresses that the chain names.
 */
async function hasOwnAttestation(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await helpers()
  const object = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const format = object.get('fmt')
  return format === 'none' || (format === 'packed' && object.get('attStmt').get('x5c') === undefined)
}

/** @throws AppError passkey_rejected */
export async function verifyCreation(credential: Attestation, challenge: string, { origin, host }: Place) {
  const { verifyRegistrationResponse } = await library()
  const { clientDataJSON, attestationObject } = credential.response
  if (!(await hasOwnAttestation(attestationObject).catch(refuse))) throw new AppError('passkey_rejected')
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...credential, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
    requireUserVerification: false,
  }).catch(refuse)
  if (!verified) throw new AppError('passkey_rejected')
  const { id, publicKey, counter } = registrationInfo.credential
  return { credential_id: id, public_key: Buffer.from(publicKey).toString('base64url'), counter }
}

interface Expected {
  readonly challenge: string
  readonly place: Place
  readonly stored: Stored
}

/** @returns the new counter, and whether the authenticator verified the person. @throws AppError passkey_rejected, passkey_counter */
export async function verifyRequest(credential: Assertion, { challenge, place, stored }: Expected) {
  const { verifyAuthenticationResponse } = await library()
  const { clientDataJSON, authenticatorData, signature } = credential.response
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...credential, response: { clientDataJSON, authenticatorData, signature }, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: place.origin,
    expectedRPID: place.host,
    // The counter is compared below, where a cloned passkey can be distinguished from other refusals.
    credential: { id: stored.credential_id, publicKey: new Uint8Array(Buffer.from(stored.public_key, 'base64url')), counter: 0 },
    requireUserVerification: false,
  }).catch(refuse)
  if (!verified) throw new AppError('passkey_rejected')
  const { newCounter, userVerified } = authenticationInfo
  // An authenticator that counts must count on (https://www.w3.org/TR/webauthn-3/#sctn-sign-counter, read 2026-11-24).
  if ((newCounter > 0 || stored.counter > 0) && newCounter <= stored.counter) throw new AppError('passkey_counter')
  return { counter: newCounter, userVerified }
}

function refuse(cause: unknown): never {
  throw new AppError('passkey_rejected', { cause })
}
