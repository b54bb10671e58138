import { account } from './en/account.ts'
import { channel } from './en/channel.ts'
import { common } from './en/common.ts'
import { log } from './en/log.ts'
import { shell } from './en/shell.ts'
import { token } from './en/token.ts'

/** All texts of the console in English. Every catalogue has the same keys. */
export const en = { ...common, ...shell, ...account, ...channel, ...token, ...log }
