import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, type SubmitEvent, useEffect, useRef } from 'react'
import { isLost } from '../lib/api.ts'
import { isSignedIn } from '../lib/session.ts'
import { useUsedKeys } from '../lib/shortcuts.ts'
import { useT } from '../lib/t.ts'
import { formatTime } from '../lib/time.ts'
import { useDraft } from '../lib/use-draft.ts'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'
import { ConfirmDialog } from './dialog.tsx'
import { LostSave } from './lost-save.tsx'

interface GuardedFormProps {
  /** Whether there are unsaved entries. */
  readonly isDirty: boolean
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
  /** Why the last save failed. */
  readonly failure?: Error | null
  /** Reads what is stored now, and says whether it is what was typed. */
  readonly onCheck?: (() => Promise<boolean>) | undefined
  readonly children: ReactNode
}

/**
 * A form that asks before unsaved entries are lost, and that Ctrl+S submits. Inside a form's provider it also keeps the entries as a draft:
 * for a reload, a crash, or a session that ended in another tab.
 */
export function GuardedForm({ isDirty, onSubmit, failure = null, onCheck, children }: GuardedFormProps) {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const draft = useDraft()
  useUsedKeys(() => [{ key: 'Control+s' }])
  // An ended session leads to the login at once: the draft keeps the entries.
  const hasLeft = useRef(false)
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty && isSignedIn(),
    enableBeforeUnload: () => isDirty && !hasLeft.current,
    withResolver: true,
  })
  useEffect(() => {
    const send = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      form.current?.requestSubmit()
    }
    document.addEventListener('keydown', send)
    return () => document.removeEventListener('keydown', send)
  }, [])
  const leave = () => {
    hasLeft.current = true
    draft.forget()
    blocker.proceed?.()
  }
  return (
    <form ref={form} onSubmit={onSubmit} noValidate>
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
      {isLost(failure) ? <LostSave onCheck={onCheck} /> : null}
      {children}
      <ConfirmDialog
        title={t('form.leave.title')}
        text={t('form.leave.text')}
        confirmLabel={t('form.leave.leave')}
        cancelLabel={t('form.leave.stay')}
        isOpen={blocker.status === 'blocked'}
        onConfirm={leave}
        onCancel={() => blocker.reset?.()}
      />
    </form>
  )
}
