import type { MessageKey } from '../../lib/t.ts'
import { formatTime, parseTime } from '../../lib/time.ts'
import { type TaskFilters, taskFilters } from './task-search.ts'

/** The texts of the fields that filter tasks. */
export interface TaskDraft {
  readonly kind: string
  readonly model: string
  readonly id: string
  readonly user: string
  readonly channel: string
  readonly start: string
  readonly end: string
}

export type TaskField = keyof TaskDraft

export const toDraft = ({ kind, model = '', id = '', user = '', channel, start, end }: TaskFilters): TaskDraft => ({
  ...{ kind: kind ?? '', model, id, user },
  channel: channel === undefined ? '' : String(channel),
  start: start === undefined ? '' : formatTime(start),
  end: end === undefined ? '' : formatTime(end),
})

interface Read {
  readonly filters: TaskFilters
  /** The error of each field that cannot be read. */
  readonly errors: { readonly [Field in TaskField]?: MessageKey }
}

export function fromDraft(draft: TaskDraft): Read {
  const [start, end] = [secondsOf(draft.start), secondsOf(draft.end)]
  const kind = taskFilters.kind(draft.kind)
  const isBackward = start !== null && end !== null && end > 0 && end < start
  return {
    filters: {
      ...(kind !== undefined && { kind }),
      ...(draft.model.trim() !== '' && { model: draft.model.trim() }),
      ...(draft.id.trim() !== '' && { id: draft.id.trim() }),
      ...(draft.user.trim() !== '' && { user: draft.user.trim() }),
      ...(Number(draft.channel) > 0 && { channel: Number(draft.channel) }),
      ...(start !== null && start > 0 && { start }),
      ...(end !== null && end > 0 && { end }),
    },
    errors: {
      ...(!/^\s*\d{0,15}\s*$/.test(draft.channel) && { channel: 'task.channel.wrong' as const }),
      ...(start === null && { start: 'task.time.wrong' as const }),
      ...(end === null ? { end: 'task.time.wrong' as const } : isBackward && { end: 'task.end.wrong' as const }),
    },
  }
}

/** 0 = empty; `null` = no time. */
const secondsOf = (text: string): number | null => (text.trim() === '' ? 0 : parseTime(text))
