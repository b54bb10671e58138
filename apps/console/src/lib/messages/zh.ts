import type { Message } from '../t.ts'
import type { en } from './en.ts'
import { account } from './zh/account.ts'
import { common } from './zh/common.ts'
import { shell } from './zh/shell.ts'

/** Everything the console says in Chinese. */
export const zh = { ...common, ...shell, ...account } satisfies Record<keyof typeof en, Message>
