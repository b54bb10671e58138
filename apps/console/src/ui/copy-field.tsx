import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { copyText } from '../lib/clipboard.ts'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { IconButton } from './button.tsx'

/** How long the tick is shown. */
const tickMs = 1_500

interface CopyButtonProps {
  readonly text: string
  readonly label: string
  /** Gets the first focus of a dialog. */
  readonly isFirst?: boolean
}

export function CopyButton({ text, label, isFirst = false }: CopyButtonProps) {
  const t = useT()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(text))) return showToast('warning', t('copy.failed'))
    showToast('success', t('copy.done'))
    setCopied(true)
    setTimeout(() => setCopied(false), tickMs)
  }
  return (
    <IconButton label={label} data-first={isFirst || undefined} onClick={() => void copy()}>
      {isCopied ? <Check aria-hidden className="size-4 text-green" /> : <Copy aria-hidden className="size-4" />}
    </IconButton>
  )
}

/** A value with a button that copies it. */
export function CopyField({ text, label, isFirst = false }: CopyButtonProps) {
  return (
    <div className="flex items-center gap-1 rounded-sm border border-line bg-sunken py-0.5 pr-0.5 pl-2.5">
      <code className="min-w-0 flex-1 truncate font-mono text-sm select-all">{text}</code>
      <CopyButton text={text} label={label} isFirst={isFirst} />
    </div>
  )
}

interface CopyCodeProps extends Pick<CopyButtonProps, 'text' | 'label'> {
  /** What is shown in place of the text, if that is secret. */
  readonly displayText?: string
}

/** A code among other facts, with a button that copies it. */
export function CopyCode({ text, label, displayText = text }: CopyCodeProps) {
  return (
    <span className="inline-flex items-center gap-1">
      <code className="font-mono text-xs text-balance break-all">{displayText}</code>
      <CopyButton text={text} label={label} />
    </span>
  )
}
