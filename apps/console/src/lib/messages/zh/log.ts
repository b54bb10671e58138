import type { Message } from '../../t.ts'
import type { log as en } from '../en/log.ts'

export const log = {} as const satisfies Record<keyof typeof en, Message>
