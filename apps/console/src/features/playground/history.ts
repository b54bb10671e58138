import { allOf, oneOf, put, remove } from './browser-store.ts'
import { type Conversation, titleOf, upgraded } from './conversation.ts'

/** The most conversations that are kept of an account; the oldest go first. */
const keptMax = 200

interface Kept {
  readonly id: string
  readonly account: number
  readonly updatedMs: number
  readonly conversation: Conversation
}

/** A row of the history. */
export interface KeptTitle {
  readonly id: string
  readonly title: string
  readonly models: readonly string[]
  readonly updatedMs: number
}

/** Newest first. */
export async function listKept(account: number): Promise<readonly KeptTitle[]> {
  const rows = await allOf<Kept>('conversations', account)
  return rows.map(({ id, updatedMs, conversation }) => {
    const whole = upgraded(conversation)
    return { id, updatedMs, title: titleOf(whole), models: whole.models }
  })
}

/** `null` = it is not there, or is another account's. */
export async function readKept(account: number, id: string): Promise<Conversation | null> {
  const kept = await oneOf<Kept>('conversations', account, id)
  return kept && upgraded(kept.conversation)
}

export async function keep(account: number, conversation: Conversation): Promise<void> {
  const { id, updatedMs } = conversation
  await put<Kept>('conversations', { id, account, updatedMs, conversation }, keptMax)
}

export const forget = (ids: readonly string[]): Promise<void> => remove('conversations', ids)
