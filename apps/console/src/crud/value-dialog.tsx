import type { FormEvent, ReactNode } from 'react'
import { useT } from '../lib/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export interface ValueDialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onCancel: () => void
  readonly isReady: boolean
  readonly onSubmit: () => void
  readonly children: ReactNode
}

/** Asks for a value of one row or of many. */
export function ValueDialog({ title, isOpen, onCancel, isReady, onSubmit, children }: ValueDialogProps) {
  const t = useT()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) onSubmit()
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onCancel}>
      <form onSubmit={submit}>
        {children}
        <div className="mt-4 flex flex-row-reverse gap-2">
          <Button type="submit" look="primary" disabled={!isReady}>
            {t('action.apply')}
          </Button>
          <Button onClick={onCancel}>{t('action.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
