import { Loader2 } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { exactQuota, formatQuota, type Money, parseMoney, parseWhole } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'

interface QuotaCellProps {
  /** The name of the value and of its row. */
  readonly label: string
  readonly quota: number
  /** Resolves when the value is stored; if it rejects, the old value is shown again. */
  readonly onSave: (quota: number) => Promise<unknown>
}

/** An amount that is edited in its cell, in the unit in which it is shown: Enter or leaving the cell stores it, Esc reverts it. */
export function QuotaCell({ label, quota, onSave }: QuotaCellProps) {
  const t = useT()
  const money = useMoney()
  const [draft, setDraft] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)
  const endedByKey = useRef(false)
  const displayText = textOf(quota, money)
  const save = async () => {
    const next = draft === null || draft === displayText ? null : parse(draft, money)
    setDraft(null)
    if (next === null || next === quota || isSaving) return
    setSaving(true)
    // The call itself reports a refusal.
    await onSave(next).catch(() => null)
    setSaving(false)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    // Otherwise the same Enter would press the button, which has the focus then.
    event.preventDefault()
    endedByKey.current = true
    if (event.key === 'Enter') void save()
    else setDraft(null)
  }
  if (draft === null) {
    return (
      <button
        type="button"
        ref={(button) => {
          // The button takes the place of the field, and its focus.
          if (endedByKey.current) button?.focus()
          endedByKey.current = false
        }}
        aria-label={`${label}${t('word.colon')}${formatQuota(quota, money)}`}
        aria-busy={isSaving || undefined}
        title={exactQuota(quota, money)}
        onClick={() => setDraft(displayText)}
        className={cx(
          '-mr-1.5 inline-flex h-6 items-center gap-1 rounded-sm border border-transparent px-1.5 tabular hover:border-control touch:h-11',
          isSaving && 'text-muted',
        )}
      >
        {isSaving ? <Loader2 aria-hidden className="size-3 animate-spin text-muted" /> : null}
        {formatQuota(quota, money)}
      </button>
    )
  }
  return (
    <input
      ref={selectAll}
      type="text"
      inputMode="decimal"
      autoComplete="off"
      aria-label={label}
      aria-invalid={parse(draft, money) === null || undefined}
      value={draft}
      onChange={({ target }) => setDraft(target.value)}
      onBlur={() => void save()}
      onKeyDown={onKeyDown}
      className="-mr-1.5 h-6 w-24 rounded-sm border border-control bg-surface px-1.5 text-right text-sm tabular focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-red touch:h-11"
    />
  )
}

function selectAll(input: HTMLInputElement | null): void {
  input?.focus()
  input?.select()
}

const parse = (text: string, money: Money): number | null => (money.inCurrency ? parseMoney(text, money) : parseWhole(text))

/** The exact amount, as it is typed. */
function textOf(quota: number, { inCurrency, quotaPerUnit }: Money): string {
  return inCurrency ? String(Number((quota / quotaPerUnit).toFixed(6))) : String(quota)
}
