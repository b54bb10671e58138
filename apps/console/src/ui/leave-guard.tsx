import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isSignedIn } from '../lib/session.ts'
import { useT } from '../lib/t.ts'
import { ConfirmDialog } from './dialog.tsx'

interface LeaveGuardProps {
  /** Whether there are unsaved entries. */
  readonly isDirty: boolean
  /** Forgets the unsaved entries. */
  readonly onLeave: () => void
  /** Whether another tab of the page is no other page. */
  readonly keepsTabs?: boolean
  /** Whether the page shows something once after a save, such as a key. */
  readonly staysAfterSave?: boolean
}

/** Asks before unsaved entries are lost. If a save that was running succeeds meanwhile, the question is gone, and the page is left. */
export function LeaveGuard({ isDirty, onLeave, keepsTabs = false, staysAfterSave = false }: LeaveGuardProps) {
  const t = useT()
  const hasLeft = useRef(false)
  const blocker = useBlocker({
    // An ended session leads to the login at once: the draft keeps the entries.
    shouldBlockFn: ({ current, next }) => isDirty && isSignedIn() && !(keepsTabs && next.pathname === current.pathname),
    enableBeforeUnload: () => isDirty && !hasLeft.current,
    withResolver: true,
  })
  const isAsked = blocker.status === 'blocked'
  useEffect(() => {
    if (!isAsked || isDirty) return
    if (staysAfterSave) blocker.reset()
    else blocker.proceed()
  })
  const leave = () => {
    hasLeft.current = true
    onLeave()
    blocker.proceed?.()
  }
  return (
    <ConfirmDialog
      title={t('form.leave.title')}
      text={t('form.leave.text')}
      confirmLabel={t('form.leave.leave')}
      cancelLabel={t('form.leave.stay')}
      isOpen={isAsked && isDirty}
      onConfirm={leave}
      onCancel={() => blocker.reset?.()}
    />
  )
}
