import type { Signer } from '../../packages/vendors/src/core/signer.ts'
import { signBedrock } from '../../packages/vendors/src/vendors/bedrock/sign.ts'
import { sparkUrl } from '../../packages/vendors/src/vendors/iflytek/sign.ts'
import { tc3 } from '../../packages/vendors/src/vendors/tencent/sign.ts'
import { zhipuJwt } from '../../packages/vendors/src/vendors/zhipu/sign.ts'
import { cryptoFunctions } from '../../packages/vendors/test/crypto.ts'
import { texts } from './hostile-arguments.ts'
import type { Row } from './rows.ts'

/** A request with a hostile body is signed. @param key of the vendor's form */
const signerRow = (sign: Signer, key: string): Row => ({
  inputs: texts,
  call: (body) =>
    sign(
      { method: 'POST', url: 'https://a.example/a?b=c', headers: { 'content-type': 'application/json' }, body: String(body) },
      { channel: { baseUrl: 'https://a.example', key, config: {}, other: '' }, crypto: cryptoFunctions, nowMs: 1_700_000_000_000 },
    ),
})

const folder = 'packages/vendors/src/vendors'

export const rowsOfSigners: Readonly<Record<string, Row>> = {
  [`${folder}/bedrock/sign.ts#signBedrock`]: signerRow(signBedrock, 'ak|sk|us-east-1'),
  [`${folder}/iflytek/sign.ts#sparkUrl`]: signerRow(sparkUrl, 'app|secret|key'),
  [`${folder}/tencent/sign.ts#tc3`]: signerRow(tc3, '1|id|secret'),
  [`${folder}/zhipu/sign.ts#zhipuJwt`]: signerRow(zhipuJwt, 'id.secret'),
}
