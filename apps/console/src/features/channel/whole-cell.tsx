import { Loader2 } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { setCellEdited } from '../../lib/edited-cell.ts'
import { cx } from '../../lib/text.ts'
import { parseWholeCell } from './whole-cell-value.ts'

interface WholeCellProps {
  /** The name of the value and of its row. */
  readonly label: string
  readonly value: number
  readonly min?: number
  /** Resolves when the value is stored; if it rejects, the old value is shown again. */
  readonly onSave: (value: number) => Promise<unknown>
}

/** A whole number that is edited in its cell: Enter or leaving the cell stores it, Esc reverts it. */
export function WholeCell({ label, value, min, onSave }: WholeCellProps) {
  const input = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)
  // A cell that is removed while it has the focus gets no event of that.
  useEffect(() => () => setCellEdited(false), [])
  const save = async () => {
    const next = draft === null ? null : parseWholeCell(draft, { value, min: min ?? null })
    setDraft(null)
    if (next === null || isSaving) return
    setSaving(true)
    // The call itself reports a refusal.
    await onSave(next).catch(() => null)
    setSaving(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) void save()
    if (event.key === 'Escape') setDraft(null)
    if (event.key === 'F2') input.current?.select()
  }
  return (
    <span className="relative inline-flex items-center">
      {isSaving ? <Loader2 aria-hidden className="absolute left-1 size-3 animate-spin text-muted" /> : null}
      <input
        ref={input}
        type="text"
        inputMode={min === undefined ? 'text' : 'numeric'}
        autoComplete="off"
        aria-label={label}
        aria-busy={isSaving || undefined}
        value={draft ?? String(value)}
        onChange={(event) => setDraft(event.target.value)}
        onFocus={(event) => {
          setCellEdited(true)
          event.target.select()
        }}
        onBlur={() => {
          setCellEdited(false)
          void save()
        }}
        onKeyDown={onKeyDown}
        className={cx(
          'h-6 w-12 rounded-sm border border-line bg-transparent px-1.5 text-right text-sm tabular transition-colors hover:border-control focus-visible:border-accent focus-visible:bg-surface focus-visible:outline-offset-0 touch:h-11 max-sm:text-lg',
          isSaving && 'text-muted',
        )}
      />
    </span>
  )
}
