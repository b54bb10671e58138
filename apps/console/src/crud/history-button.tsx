import { History } from 'lucide-react'
import { useState } from 'react'
import { late } from '../lib/late.ts'
import { useT, withTexts } from '../lib/t.ts'
import { Button } from '../ui/button.tsx'
import { LateLayer } from '../ui/late-layer.tsx'
import type { HistoryOf } from './history-dialog.tsx'

const dialog = late(withTexts(() => import('./history-dialog.tsx'), 'history'))

interface HistoryButtonProps {
  readonly of: HistoryOf
  /** As a link in small print. */
  readonly isSmall?: boolean
}

/** Opens what changed, with a way back. */
export function HistoryButton({ of, isSmall = false }: HistoryButtonProps) {
  const t = useT()
  const [isOpen, setOpen] = useState(false)
  const open = () => setOpen(true)
  const close = () => setOpen(false)
  return (
    <>
      {isSmall ? (
        <button
          type="button"
          onClick={open}
          className="relative min-h-6 rounded-sm text-accent hover:underline touch:before:absolute touch:before:-inset-2.5 touch:before:content-['']"
        >
          {t('action.history')}
          <span className="sr-only">{of.name}</span>
        </button>
      ) : (
        <Button size="sm" onClick={open}>
          <History aria-hidden className="size-4 text-muted" />
          {t('action.history')}
        </Button>
      )}
      <LateLayer code={dialog} isOpen={isOpen} onFailed={close}>
        {({ HistoryDialog }) => <HistoryDialog of={of} isOpen={isOpen} onClose={close} />}
      </LateLayer>
    </>
  )
}
