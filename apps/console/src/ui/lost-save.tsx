import { useState } from 'react'
import { toastError } from '../lib/api.ts'
import { useT } from '../lib/t.ts'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

/** After a save whose answer was lost: says that nobody knows whether it was stored, and finds out. */
export function LostSave({ onCheck }: { readonly onCheck?: (() => Promise<boolean>) | undefined }) {
  const t = useT()
  const [state, setState] = useState<'unknown' | 'busy' | 'stored' | 'differs'>('unknown')
  const check = async () => {
    if (onCheck === undefined) return
    setState('busy')
    try {
      setState((await onCheck()) ? 'stored' : 'differs')
    } catch (error) {
      toastError(error)
      setState('unknown')
    }
  }
  const isKnown = state === 'stored' || state === 'differs'
  return (
    <div className="mb-4">
      <Alert
        kind={state === 'stored' ? 'info' : 'warning'}
        action={
          onCheck === undefined || isKnown ? undefined : (
            <Button size="sm" isBusy={state === 'busy'} onClick={() => void check()}>
              {t('form.lost.check')}
            </Button>
          )
        }
      >
        {t(
          state === 'stored'
            ? 'form.lost.stored'
            : state === 'differs'
              ? 'form.lost.differs'
              : onCheck === undefined
                ? 'form.lost.new'
                : 'form.lost',
        )}
      </Alert>
    </div>
  )
}
