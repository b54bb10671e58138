import type { contract, ParsedInputOf } from '@sluice/contract'
import { changeAt } from '../../ledger/change-at.ts'
import type { NewTokenQuota, TokenQuota } from '../../ledger/ledger.ts'
import { tryParseJson } from '../../lib/parse-json.ts'

type QuotaEdit = Pick<
  ParsedInputOf<typeof contract.token.update>,
  'remain_quota' | 'remain_quota_was' | 'form_id' | 'used_quota' | 'unlimited_quota'
>

/** The quota of a token after an edit. */
export function quotaAfter(edit: QuotaEdit, now: TokenQuota): NewTokenQuota {
  const { remain, forms } = now
  const isUnlimited = edit.unlimited_quota ?? now.isUnlimited
  if (edit.remain_quota === undefined) return { remain, isUnlimited, forms }
  if (typeof edit.remain_quota_was !== 'number') return { remain: remainOf(edit.remain_quota, edit.used_quota, now), isUnlimited, forms }
  const form = edit.form_id ?? ''
  const notes = parseNotes(forms)
  const earlier = form === '' ? 0 : (notes.find(([name]) => name === form)?.[1] ?? 0)
  const change = changeAt(remain, edit.remain_quota - edit.remain_quota_was - earlier)
  return { remain: remain + change, isUnlimited, forms: form === '' ? forms : withNote(notes, [form, earlier + change]) }
}

/** Corrects an entered quota by what the token has spent since it was shown, when its total was `usedThen`. */
function remainOf(remain: number, usedThen: number | null | undefined, { used }: TokenQuota): number {
  const spentSince = typeof usedThen === 'number' ? Math.max(0, used - usedThen) : 0
  return Math.max(0, remain - spentSince)
}

/** A form that changed the quota, and its total change. */
type Note = readonly [form: string, change: number]

/** Most forms that are stored; an older form is compared with the quota that it was shown. */
const notesMax = 8

function withNote(notes: readonly Note[], note: Note): string {
  return JSON.stringify([note, ...notes.filter(([form]) => form !== note[0])].slice(0, notesMax))
}

/** A damaged note is none: its form is then compared with the quota that it was shown. */
function isNote(note: unknown): note is Note {
  return Array.isArray(note) && typeof note[0] === 'string' && Number.isSafeInteger(note[1])
}

function parseNotes(text: string): readonly Note[] {
  const notes = text === '' ? [] : tryParseJson(text)
  return Array.isArray(notes) ? notes.filter(isNote) : []
}
