import { createHash, createHmac, createSign } from 'node:crypto'
import type { CryptoFunctions } from '../src/core/crypto-functions.ts'

export const cryptoFunctions: CryptoFunctions = {
  sha256: (data) => createHash('sha256').update(data).digest(),
  hmacSha256: (key, data) => createHmac('sha256', key).update(data).digest(),
  rs256: (privateKey, data) => createSign('RSA-SHA256').update(data).sign(privateKey),
}
