import { Bell } from 'lucide-react'
import { useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { formatTime } from '../lib/time.ts'
import { markToastsRead, type Toast, useToastLog, useUnreadToasts } from '../lib/toasts.ts'
import { Button, IconButton } from './button.tsx'
import { EmptyState } from './empty-state.tsx'
import { Sheet } from './sheet.tsx'
import { StoredHtml } from './stored-html.tsx'
import { toastIcons } from './toast-icons.ts'

/** How long a toast's undo is offered in the log. */
const undoMs = 60_000

/** The bell: the last toasts, because most disappear before they are read. */
export function ToastLog() {
  const t = useT()
  const unread = useUnreadToasts()
  const toasts = useToastLog()
  const [isOpen, setOpen] = useState(false)
  const open = () => {
    markToastsRead()
    setOpen(true)
  }
  return (
    <>
      <IconButton label={unread === 0 ? t('toasts.log') : t('toasts.unread', { count: unread })} onClick={open} className="size-8">
        <span className="relative">
          <Bell aria-hidden className="size-4" />
          {unread === 0 ? null : (
            <span aria-hidden className="absolute -top-0.5 -right-0.5 size-2 rounded-full bg-accent ring-2 ring-surface" />
          )}
        </span>
      </IconButton>
      <Sheet title={t('toasts.log')} side="right" isOpen={isOpen} onClose={() => setOpen(false)}>
        {toasts.length === 0 ? (
          <EmptyState icon={<Bell />} title={t('toasts.none')} text={t('toasts.none.text')} />
        ) : (
          <Entries toasts={toasts} />
        )}
      </Sheet>
    </>
  )
}

function Entries({ toasts }: { readonly toasts: readonly Toast[] }) {
  const t = useT()
  return (
    <ul className="-mx-4 border-t">
      {toasts.map((toast) => {
        const { icon: Icon, color } = toastIcons[toast.kind]
        return (
          <li key={toast.id} className="flex items-start gap-2.5 border-b px-4 py-2.5">
            <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', color)} />
            <div className="min-w-0 flex-1">
              <span className="sr-only">{t(`kind.${toast.kind}`)}: </span>
              {toast.html === undefined ? <p className="break-words">{toast.text}</p> : <StoredHtml html={toast.html} />}
              <time className="text-xs text-muted tabular">{formatTime(toast.atMs / 1000)}</time>
            </div>
            {toast.undo !== undefined && Date.now() - toast.atMs < undoMs ? (
              <Button size="sm" onClick={toast.undo}>
                {t('action.undo')}
              </Button>
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}
