import type { Signer } from './signer.ts'
import type { SignerName } from './signer-name.ts'
import { sigV4 } from './sigv4.ts'

export const signers: Readonly<Record<SignerName, Signer>> = { sigv4: sigV4 }
