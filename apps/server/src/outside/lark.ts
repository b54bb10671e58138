import type { Settings } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import { type Service, textOf } from './call.ts'
import { type Identify, refusedBy } from './identity.ts'

interface LarkDeps {
  readonly service: Service
  readonly base: string
  readonly passportBase: string
  readonly settings: () => Settings
  /** The server's public URL. */
  readonly publicAddress: () => string
}

/** https://open.feishu.cn/document/authentication-management/access-token/get-user-access-token, read 2026-11-21. */
export function createLark({ service, base, passportBase, settings, publicAddress }: LarkDeps): Identify {
  return async ({ code, verifier, consoleOrigin }) => {
    const { LarkClientId, LarkClientSecret } = settings()
    const granted = await service.json({
      url: `${base}/open-apis/authen/v2/oauth/token`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'authorization_code',
        client_id: LarkClientId,
        client_secret: LarkClientSecret,
        code,
        redirect_uri: `${consoleOrigin ?? publicAddress()}/oauth/lark`,
        ...(verifier === '' ? {} : { code_verifier: verifier }),
      }),
    })
    const token = textOf(granted['access_token'])
    if (token === '') throw refusedBy(service.name, textOf(granted['error_description']) || textOf(granted['error']))
    const { open_id, name } = await service.json({
      url: `${passportBase}/suite/passport/oauth/userinfo`,
      headers: { authorization: `Bearer ${token}` },
    })
    const id = textOf(open_id)
    if (id.trim() === '') throw new AppError('service_response_invalid', { params: { service: service.name } })
    return { id, loginName: '', name: textOf(name) }
  }
}
