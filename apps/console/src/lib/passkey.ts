import { type InputOf, passkey } from '@sluice/contract'
import { call } from './api.ts'

// The library is loaded when somebody uses a passkey.
const library = () => import('@simplewebauthn/browser')

/** Whether this browser knows passkeys here: by https, and at a name. */
export function canUsePasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && isSecureContext && !/^[\d.]+$|:/.test(location.hostname)
}

type Attestation = InputOf<typeof passkey.create>['credential']
type Assertion = InputOf<typeof passkey.login>['credential']

/** Lets the browser make a passkey. `null` = the person has closed its dialog. @throws CallError, Error */
export async function makePasskey(): Promise<Attestation | null> {
  const options = await call(passkey.begin, {})
  const { startRegistration } = await library()
  // Holds: the server made the options with the same library; it checks the response.
  return await startRegistration({ optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'] })
    .then((credential) => credential as Attestation)
    .catch(closed)
}

/** Asks the browser for a passkey. `null` as above. @throws CallError, Error */
export async function askForPasskey(isSecondStep: boolean): Promise<Assertion | null> {
  const options = await call(passkey.beginLogin, { is_second_step: isSecondStep })
  const { startAuthentication } = await library()
  // Holds: as above.
  return await startAuthentication({ optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'] })
    .then((credential): Assertion => credential)
    .catch(closed)
}

/** Browsers do not distinguish a refusal from a timeout. */
function closed(error: unknown): null {
  if (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')) return null
  throw error
}
