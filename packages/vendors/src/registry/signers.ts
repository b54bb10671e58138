import type { Signer } from '../core/signer.ts'
import type { SignerName } from '../core/signer-name.ts'
import { signBedrock } from '../vendors/bedrock/sign.ts'
import { sparkUrl } from '../vendors/iflytek/sign.ts'
import { tc3 } from '../vendors/tencent/sign.ts'
import { zhipuJwt } from '../vendors/zhipu/sign.ts'

export const signers: Readonly<Record<SignerName, Signer>> = { bedrock: signBedrock, 'spark-url': sparkUrl, tc3, 'zhipu-jwt': zhipuJwt }
