import type { Message } from '../../t.ts'
import type { channel as en } from '../en/channel.ts'

export const channel = {} as const satisfies Record<keyof typeof en, Message>
