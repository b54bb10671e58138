import { Secret, TOTP } from 'otpauth'

/** The code that an authenticator app shows at a time, with the values that all apps use. */
export const appCode = (secret: string, timeMs: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')), algorithm: 'SHA1', digits: 6, period: 30 }).generate({
    timestamp: timeMs,
  })
