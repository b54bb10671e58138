import { CircleAlert, X } from 'lucide-react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { DataText } from './data-text.tsx'

interface ChipProps {
  readonly text: string
  readonly isWrong?: boolean
  readonly onRemove: () => void
}

export function Chip({ text, isWrong = false, onRemove }: ChipProps) {
  const t = useT()
  return (
    <span
      className={cx(
        'inline-flex h-6 max-w-full items-center gap-1 rounded-sm border pl-1.5 font-mono text-xs touch:h-11',
        isWrong ? 'border-red/40 bg-red-tint text-red' : 'border-line bg-sunken text-text',
      )}
    >
      {isWrong ? <CircleAlert aria-hidden className="size-3.5 shrink-0" /> : null}
      <DataText text={text} />
      <button
        type="button"
        aria-label={t('picker.remove', { name: text })}
        onClick={onRemove}
        className="relative flex h-full w-6 shrink-0 before:absolute before:-inset-px before:content-[''] items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-text touch:w-11"
      >
        <X aria-hidden className="size-3" />
      </button>
    </span>
  )
}
