import type { Language } from './messages/fill.ts'

/** What a call does, in one line, and a note for callers. */
export interface Summary {
  readonly title: Readonly<Record<Language, string>>
  readonly note: Readonly<Record<Language, string>> | null
}

export const row = (en: string, zh: string): Summary => ({ title: { en, zh }, note: null })
export const noted = (title: readonly [en: string, zh: string], note: readonly [en: string, zh: string]): Summary => ({
  title: { en: title[0], zh: title[1] },
  note: { en: note[0], zh: note[1] },
})

export const pages: readonly [string, string] = ['Ten rows a page, page 0 first, newest first.', '每页十行，从第 0 页开始，新的在前。']
export const wholeFile: readonly [string, string] = [
  'All matching rows, sent while they are read. In CSV, names are in the language of the caller; JSON has the rows as lists have them, without secrets.',
  '包含所有符合条件的行，边读取边发送。CSV 中的名称使用调用者的语言；JSON 与列表中的行相同，但不含机密。',
]
export const recentLogin: readonly [string, string] = ['Takes a login of the last ten minutes.', '需要在最近十分钟内登录。']
export const endsAccess: readonly [string, string] = [
  'Ends every session of the account and, unless `revoke_access_tokens` is false, revokes its access tokens.',
  '结束该账户的所有会话，并撤销其访问令牌（`revoke_access_tokens` 为 false 时除外）。',
]
export const newRows: readonly [string, string] = [
  'The matching rows that were written since the call whose `last` is given, newest first, at most a hundred.',
  '返回自给出其 `last` 的那次调用之后写入的符合条件的行，新的在前，最多一百行。',
]
export const mails: readonly [string, string] = ['Sends mail.', '会发送邮件。']
export const keptKey: readonly [string, string] = [
  'Whole rows or single members; what is missing or null stays as it is, and so does a key that is empty.',
  '可以发送整行或单个字段；缺少或为 null 的字段保持不变，密钥为空时也保持不变。',
]
