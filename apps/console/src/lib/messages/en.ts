import { account } from './en/account.ts'
import { channel } from './en/channel.ts'
import { common } from './en/common.ts'
import { log } from './en/log.ts'
import { shell } from './en/shell.ts'
import { token } from './en/token.ts'

/** Everything the console says in English. Its keys are the keys of every catalogue. */
export const en = { ...common, ...shell, ...account, ...channel, ...token, ...log }
