import type { Message } from '../message.ts'
import type { en } from './en.ts'
import { account } from './zh/account.ts'
import { channel } from './zh/channel.ts'
import { common } from './zh/common.ts'
import { log } from './zh/log.ts'
import { shell } from './zh/shell.ts'
import { token } from './zh/token.ts'

/** All texts of the console in Chinese. */
export const zh = { ...common, ...shell, ...account, ...channel, ...token, ...log } satisfies Record<keyof typeof en, Message>
