import type { CredentialQuery } from '../core/credential.ts'
import type { CredentialName } from '../core/credential-name.ts'
import { askEntraToken } from '../vendors/azure/credential.ts'
import { askBaiduToken } from '../vendors/baidu/credential.ts'
import { askGoogleToken } from '../vendors/google/service-account.ts'

export const credentials: Readonly<Record<CredentialName, CredentialQuery>> = {
  'azure-entra': askEntraToken,
  'baidu-token': askBaiduToken,
  'google-service-account': askGoogleToken,
}
