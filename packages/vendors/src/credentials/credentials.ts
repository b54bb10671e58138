import { askEntraToken } from './azure-entra.ts'
import { askBaiduToken } from './baidu.ts'
import type { CredentialQuery } from './credential.ts'
import type { CredentialName } from './credential-name.ts'
import { askGoogleToken } from './google-service-account.ts'

export const credentials: Readonly<Record<CredentialName, CredentialQuery>> = {
  'azure-entra': askEntraToken,
  'baidu-token': askBaiduToken,
  'google-service-account': askGoogleToken,
}
