import type { Message } from '../../t.ts'
import type { token as en } from '../en/token.ts'

export const token = {} as const satisfies Record<keyof typeof en, Message>
