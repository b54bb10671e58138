import { type KeyboardEvent as ElementKeyEvent, type ReactNode, type SubmitEvent, useEffect, useRef } from 'react'
import { isLost } from '../lib/api.ts'
import type { LostOutcome } from '../lib/saved-values.ts'
import { useUsedKeys } from '../lib/shortcuts.ts'
import { useT } from '../lib/t.ts'
import { formatTime } from '../lib/time.ts'
import { type ComparedRow, useDraft } from '../lib/use-draft.ts'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { LostSave } from './lost-save.tsx'

interface GuardedFormProps {
  /** Whether there are unsaved entries. */
  readonly isDirty: boolean
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
  /** Why the last save failed. */
  readonly failure?: Error | null
  /** Reads what is stored now, and compares it with what was typed. */
  readonly onCheck?: (() => Promise<LostOutcome>) | undefined
  /** Whether a save creates something; after a lost response it would be created twice. */
  readonly isNew?: boolean
  /** The row that a save is compared with, so that entries of a draft are compared with what was shown when they were typed. */
  readonly compared?: ComparedRow | null
  /** Whether the page shows something once after a save, such as a key. */
  readonly staysAfterSave?: boolean
  /** Whether Enter in a field submits it; not where that costs something. */
  readonly submitsByEnter?: boolean
  readonly children: ReactNode
}

/**
 * A form that asks before unsaved entries are lost, and that Ctrl+S submits. Inside a form's provider it also keeps the entries as a draft:
 * for a reload, a crash, or a session that ended in another tab.
 */
export function GuardedForm({
  isDirty,
  onSubmit,
  failure = null,
  onCheck,
  isNew = false,
  compared = null,
  staysAfterSave = false,
  submitsByEnter = true,
  children,
}: GuardedFormProps) {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const draft = useDraft(compared)
  useUsedKeys(() => [{ key: 'Control+s' }])
  useEffect(() => {
    const send = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      form.current?.requestSubmit()
    }
    document.addEventListener('keydown', send)
    return () => document.removeEventListener('keydown', send)
  }, [])
  return (
    <form ref={form} onSubmit={onSubmit} onKeyDown={submitsByEnter ? undefined : keepOpen} noValidate>
      {draft.restoredMs !== null && isDirty ? (
        <div className="mb-4">
          <Alert
            kind="info"
            action={
              <Button size="sm" onClick={draft.discard}>
                {t('form.draft.discard')}
              </Button>
            }
          >
            {t('form.draft', { time: formatTime(draft.restoredMs / 1000) })}
          </Alert>
        </div>
      ) : null}
      {isLost(failure) ? <LostSave isNew={isNew} onCheck={onCheck} /> : null}
      {children}
      <LeaveGuard isDirty={isDirty} onLeave={draft.forget} staysAfterSave={staysAfterSave} />
    </form>
  )
}

/** Enter in a field of one line would submit the form. */
function keepOpen(event: ElementKeyEvent<HTMLFormElement>): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
}
