import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, type SubmitEvent, useEffect, useRef } from 'react'
import { useT } from '../lib/t.ts'
import { ConfirmDialog } from './dialog.tsx'

interface GuardedFormProps {
  /** Whether there are unsaved entries. */
  readonly isDirty: boolean
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
  readonly children: ReactNode
}

/** A form that asks before unsaved entries are lost, and that Ctrl+S submits. */
export function GuardedForm({ isDirty, onSubmit, children }: GuardedFormProps) {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const blocker = useBlocker({ shouldBlockFn: () => isDirty, enableBeforeUnload: isDirty, withResolver: true })
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
    <form ref={form} onSubmit={onSubmit} noValidate>
      {children}
      <ConfirmDialog
        title={t('form.leave.title')}
        text={t('form.leave.text')}
        confirmLabel={t('form.leave.leave')}
        cancelLabel={t('form.leave.stay')}
        isOpen={blocker.status === 'blocked'}
        onConfirm={() => blocker.proceed?.()}
        onCancel={() => blocker.reset?.()}
      />
    </form>
  )
}
