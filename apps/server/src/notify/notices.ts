import { type Language, type MessageKey, type MessageParams, messageText, type Settings } from '@sluice/contract'
import { inBothLanguages } from './both-languages.ts'

type NoticeKind = 'balance' | 'spend' | 'errors' | 'channel' | 'backup' | 'set_aside' | 'test'

/** What a notification says. */
export interface Notice {
  readonly kind: NoticeKind
  readonly params: MessageParams
  /** The notification's facts as JSON, for programs that receive a webhook. */
  readonly data: Readonly<Record<string, unknown>>
}

interface NoticeTexts {
  readonly title: MessageKey
  readonly text: MessageKey
}

const texts: Readonly<Record<NoticeKind, NoticeTexts>> = {
  balance: { title: 'notice_balance', text: 'notice_balance_text' },
  spend: { title: 'notice_spend', text: 'notice_spend_text' },
  errors: { title: 'notice_errors', text: 'notice_errors_text' },
  channel: { title: 'news_channel_disabled', text: 'news_channel_disabled_text' },
  backup: { title: 'notice_backup', text: 'notice_backup_text' },
  set_aside: { title: 'notice_set_aside', text: 'notice_set_aside_text' },
  test: { title: 'notice_test', text: 'notice_test_text' },
}

/** Of failures that are those of one model or channel. */
const textsOfPart: NoticeTexts = { title: 'notice_errors_of', text: 'notice_errors_of_text' }

const textsOf = ({ kind, params }: Pick<Notice, 'kind' | 'params'>): NoticeTexts =>
  kind === 'errors' && params['of'] !== undefined ? textsOfPart : texts[kind]

/** The text of a stored notice; empty where it is damaged. */
export function readNoticeText(stored: string, language: Language): string {
  const notice = tryReadNotice(stored)
  if (notice === null) return ''
  return messageText(textsOf(notice).text, notice.params, language)
}

/** Title and text in both languages, for people. */
export function noticeForPeople(notice: Notice): { readonly title: string; readonly text: string } {
  return inBothLanguages(textsOf(notice), notice.params)
}

interface WebhookFacts {
  readonly deliveryId: string
  readonly rule: { readonly id: number; readonly name: string }
  readonly createdTime: number
}

/** The body of a webhook. Chat services show `text`. */
export function noticeForPrograms(notice: Notice, { deliveryId, rule, createdTime }: WebhookFacts): string {
  const { kind, params, data } = notice
  const title = messageText(textsOf(notice).title, params)
  const text = messageText(textsOf(notice).text, params)
  return JSON.stringify({ id: deliveryId, type: kind, created: createdTime, rule, title, text, data })
}

/** Reads a stored notice. */
export function readNotice(stored: string): Notice {
  // Holds: only `insertDelivery` writes the column.
  return JSON.parse(stored) as Notice
}

function tryReadNotice(stored: string): Notice | null {
  try {
    const notice = readNotice(stored)
    return Object.hasOwn(texts, notice.kind) && typeof notice.params === 'object' ? notice : null
  } catch {
    return null
  }
}

/** Quota as people read it. */
export function quotaText(quota: number, { DisplayInCurrencyEnabled, QuotaPerUnit }: Settings): string | number {
  return DisplayInCurrencyEnabled ? `$${(quota / QuotaPerUnit).toFixed(6)}` : quota
}
