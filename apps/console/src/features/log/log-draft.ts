import { type DurationBand, durationBands, type Outcome, outcomes } from '@sluice/contract'
import type { MessageKey } from '../../lib/t.ts'
import { formatTime, parseTime } from '../../lib/time.ts'
import type { LogFilters } from './log-search.ts'

/** The texts of the filter fields. */
export interface LogDraft {
  readonly token: string
  readonly model: string
  readonly request: string
  readonly outcome: Outcome
  readonly error: string
  readonly duration: DurationBand | ''
  readonly user: string
  readonly channel: string
  readonly start: string
  readonly end: string
}

type DraftErrors = { readonly [Field in keyof LogDraft]?: MessageKey }

export function toDraft({ token, model, request, outcome, error, duration, user, channel, start, end }: LogFilters): LogDraft {
  return {
    token: token ?? '',
    model: model ?? '',
    request: request ?? '',
    outcome: outcomes.find((one) => one === outcome) ?? '',
    error: error ?? '',
    duration: durationBands.find((one) => one === duration) ?? '',
    user: user ?? '',
    channel: channel === undefined ? '' : String(channel),
    start: timeText(start),
    end: timeText(end),
  }
}

/** Parses the fields: filters, and the error of each invalid field. */
export function fromDraft(draft: LogDraft): { readonly filters: LogFilters; readonly errors: DraftErrors } {
  const { start, end } = { start: timeOf(draft.start), end: timeOf(draft.end) }
  const errors: DraftErrors = {
    ...(!/^\d{0,15}$/.test(draft.channel.trim()) && { channel: 'log.channel.wrong' }),
    ...(start === null && { start: 'log.time.wrong' }),
    ...(end === null && { end: 'log.time.wrong' }),
    ...(start !== null && end !== null && end > 0 && end < start && { end: 'log.end.wrong' }),
  }
  const filters = {
    ...(draft.token.trim() !== '' && { token: draft.token.trim() }),
    ...(draft.model.trim() !== '' && { model: draft.model.trim() }),
    ...(draft.request.trim() !== '' && { request: draft.request.trim() }),
    ...(draft.outcome !== '' && { outcome: draft.outcome }),
    ...(draft.error.trim() !== '' && { error: draft.error.trim() }),
    ...(draft.duration !== '' && { duration: draft.duration }),
    ...(draft.user.trim() !== '' && { user: draft.user.trim() }),
    ...(Number(draft.channel) > 0 && { channel: Number(draft.channel) }),
    ...(start !== null && start > 0 && { start }),
    ...(end !== null && end > 0 && { end }),
  }
  return { filters, errors }
}

const timeText = (seconds: number | undefined): string => (seconds === undefined ? '' : formatTime(seconds))

/** 0 = empty; `null` = invalid. */
function timeOf(text: string): number | null {
  return text.trim() === '' ? 0 : parseTime(text)
}
