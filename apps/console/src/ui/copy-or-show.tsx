import { type ReactNode, useState } from 'react'
import { copyText } from '../lib/clipboard.ts'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { Dialog } from './dialog.tsx'
import { Textarea } from './input.tsx'

interface CopySpec {
  readonly text: string
  /** The name of the value, for the dialog. */
  readonly name: string
  /** The message of success. */
  readonly done: string
}

interface Copying {
  readonly copy: (spec: CopySpec) => Promise<void>
  /** To be shown by the page. */
  readonly dialog: ReactNode
}

/** Copies values of pages without a search box. If the clipboard fails, a dialog shows the value selected. */
export function useCopyOrShow(): Copying {
  const t = useT()
  const [visibleCopy, setVisibleCopy] = useState<CopySpec | null>(null)
  const [isOpen, setOpen] = useState(false)
  const copy = async (spec: CopySpec): Promise<void> => {
    if (await copyText(spec.text)) return showToast('success', spec.done)
    showToast('warning', t('copy.failed'))
    setVisibleCopy(spec)
    setOpen(true)
  }
  return {
    copy,
    dialog: (
      <Dialog title={visibleCopy?.name ?? ''} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className="mb-3 text-muted">{t('copy.failed')}</p>
        <Textarea
          aria-label={visibleCopy?.name}
          data-first
          readOnly
          rows={2}
          value={visibleCopy?.text ?? ''}
          className="min-h-0 resize-none font-mono text-sm break-all"
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      </Dialog>
    ),
  }
}
