/** Loaded at the first use: few servers have accounts with an authenticator app. */
const library = () => import('otpauth')

// The values that every authenticator app knows (RFC 6238; https://github.com/google/google-authenticator/wiki/Key-Uri-Format, read 2026-11-24).
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20

/** Codes of one step before and after the present one are accepted: clocks of phones differ. */
const steps = 1

/** A new secret of an authenticator app, in base32. */
export async function newAppSecret(): Promise<string> {
  const { Secret } = await library()
  return new Secret({ size: secretBytes }).base32
}

/** The secret as apps read it from an image. */
export async function appUri(secret: string, names: { readonly issuer: string; readonly account: string }): Promise<string> {
  const { Secret, TOTP } = await library()
  // A colon separates both names in the label.
  const plain = (name: string): string => name.replaceAll(':', ' ')
  return new TOTP({ ...parameters, issuer: plain(names.issuer), label: plain(names.account), secret: Secret.fromBase32(secret) }).toString()
}

/** The time step of a code; `null` = it is wrong. */
export async function stepOfCode(secret: string, code: string, nowMs: number): Promise<number | null> {
  const { Secret, TOTP } = await library()
  const delta = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) }).validate({ token: code, timestamp: nowMs, window: steps })
  return delta === null ? null : Math.floor(nowMs / 1000 / parameters.period) + delta
}
