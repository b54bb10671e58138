import { account } from './en/account.ts'
import { common } from './en/common.ts'
import { shell } from './en/shell.ts'

/** Everything the console says in English. Its keys are the keys of every catalogue. */
export const en = { ...common, ...shell, ...account }
