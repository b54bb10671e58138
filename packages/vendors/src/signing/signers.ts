import { signBedrock } from '../bedrock/sign.ts'
import type { Signer } from './signer.ts'
import type { SignerName } from './signer-name.ts'
import { sparkUrl } from './spark-url.ts'
import { tc3 } from './tc3.ts'
import { zhipuJwt } from './zhipu-jwt.ts'

export const signers: Readonly<Record<SignerName, Signer>> = { bedrock: signBedrock, 'spark-url': sparkUrl, tc3, 'zhipu-jwt': zhipuJwt }
