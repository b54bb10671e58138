import { useEffect, useEffectEvent, useState } from 'react'
import { toastError } from '../lib/api.ts'
import type { LostOutcome } from '../lib/saved-values.ts'
import { type MessageKey, useT } from '../lib/t.ts'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

interface LostSaveProps {
  readonly isNew: boolean
  /** Without it, the user has to look. */
  readonly onCheck?: (() => Promise<LostOutcome>) | undefined
}

/**
 * After a save whose response was lost: finds out what is stored, and says whether it is what was typed. While the server cannot be
 * reached, it says that this is unknown, queries again when the browser is back online, and has a button that does so.
 */
export function LostSave({ isNew, onCheck }: LostSaveProps) {
  const t = useT()
  const [state, setState] = useState<LostOutcome | 'unknown' | 'busy'>('unknown')
  const check = async (onError?: (error: unknown) => void) => {
    if (onCheck === undefined || state !== 'unknown') return
    setState('busy')
    try {
      setState(await onCheck())
    } catch (error) {
      onError?.(error)
      setState('unknown')
    }
  }
  const checkQuietly = useEffectEvent(() => void check())
  useEffect(() => {
    checkQuietly()
    const again = () => checkQuietly()
    addEventListener('online', again)
    return () => removeEventListener('online', again)
  }, [])
  const isKnown = state !== 'unknown' && state !== 'busy'
  return (
    <div className="mb-4">
      <Alert
        kind={state === 'stored' ? 'info' : 'warning'}
        action={
          onCheck === undefined || isKnown ? undefined : (
            <Button size="sm" isBusy={state === 'busy'} onClick={() => void check(toastError)}>
              {t('form.lost.check')}
            </Button>
          )
        }
      >
        {t((isNew ? ofNew : ofStored)[state])}
      </Alert>
    </div>
  )
}

type Texts = Readonly<Record<LostOutcome | 'unknown' | 'busy', MessageKey>>

const ofStored: Texts = {
  unknown: 'form.lost',
  busy: 'form.lost',
  stored: 'form.lost.stored',
  differs: 'form.lost.differs',
  unseen: 'form.lost.unseen',
}

const ofNew: Texts = {
  unknown: 'form.lost.new',
  busy: 'form.lost.new',
  stored: 'form.lost.new.stored',
  differs: 'form.lost.new.absent',
  unseen: 'form.lost.new',
}
