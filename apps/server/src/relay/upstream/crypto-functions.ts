import { createSign, hash } from 'node:crypto'
import type { CryptoFunctions } from '@sluice/vendors/core/crypto-functions'

/** The cryptography of vendors' signatures and credentials. */
export const cryptoFunctions: CryptoFunctions = {
  sha256: (data) => hash('sha256', data, 'buffer'),
  hmacSha256: (key, data) => new Bun.CryptoHasher('sha256', key).update(data).digest(),
  rs256: (privateKey, data) => createSign('RSA-SHA256').update(data).sign(privateKey),
}
