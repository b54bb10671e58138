import { askBaiduToken } from './baidu.ts'
import type { CredentialQuery } from './credential.ts'
import type { CredentialName } from './credential-name.ts'

export const credentials: Readonly<Record<CredentialName, CredentialQuery>> = { 'baidu-token': askBaiduToken }
