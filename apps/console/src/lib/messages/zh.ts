import type { Message } from '../message.ts'
import type { en } from './en.ts'
import { common } from './zh/common.ts'
import { shell } from './zh/shell.ts'

/** The Chinese texts of every page's frame. */
export const zh = { ...common, ...shell } satisfies Record<keyof typeof en, Message>
