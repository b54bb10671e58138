import { Toast as Base } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { type Toast, type ToastKind, takeDismissed, takeToasts, toastMs } from '../lib/toasts.ts'
import { Button, iconButtonClass } from './button.tsx'
import { StoredHtml } from './stored-html.tsx'
import { toastIcons } from './toast-icons.ts'

interface ToastData extends Pick<Toast, 'undo'> {
  readonly kind: ToastKind
}

const manager = Base.createToastManager<ToastData>()

function isUrgent(kind: ToastKind): boolean {
  return kind === 'error' || kind === 'warning'
}

/** Draws each toast. The same words once more replace a toast that is still there; one with an undo stays, because it takes back something else. */
function drawing(): (toast: Toast) => void {
  const visibleIds = new Map<string, string>()
  return (toast) => {
    const words = `${toast.kind} ${toast.html ?? toast.text}`
    const before = toast.undo === undefined ? visibleIds.get(words) : undefined
    if (before !== undefined) manager.close(before)
    const id = String(toast.id)
    if (toast.undo === undefined) visibleIds.set(words, id)
    draw(toast, () => (visibleIds.get(words) === id ? visibleIds.delete(words) : undefined))
  }
}

function draw({ id, kind, text, undo, html }: Toast, onClose: () => void): void {
  manager.add({
    id: String(id),
    description: html === undefined ? text : <StoredHtml html={html} className="max-h-[min(50dvh,400px)] overflow-y-auto thin-scroll" />,
    timeout: toastMs[kind],
    onClose,
    priority: isUrgent(kind) ? 'high' : 'low',
    data: { kind, ...(undo && { undo }) },
  })
}

/** The corner where toasts appear; on narrow screens the top centre. Rendered before the first toast, so that each is announced. */
export function ToastRegion() {
  const t = useT()
  useEffect(() => takeToasts(drawing()), [])
  useEffect(() => takeDismissed((id) => manager.close(String(id))), [])
  return (
    <Base.Provider toastManager={manager} limit={5}>
      <Base.Portal>
        <Base.Viewport
          aria-label={t('toasts.region')}
          className="fixed right-4 bottom-4 z-60 flex w-90 max-w-[calc(100vw-2rem)] flex-col gap-2 outline-none narrow:top-14 narrow:touch:top-16 narrow:right-auto narrow:bottom-auto narrow:left-1/2 narrow:-translate-x-1/2"
        >
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

function ToastList() {
  const t = useT()
  const { toasts, close } = Base.useToastManager<ToastData>()
  return toasts.map((toast) => {
    const { kind = 'info', undo } = toast.data ?? {}
    const { icon: Icon, color } = toastIcons[kind]
    return (
      <Base.Root
        key={toast.id}
        toast={toast}
        data-kind={kind}
        swipeDirection={['right', 'up']}
        // Another region has announced an urgent toast; here it is not announced again, but stays reachable by keyboard.
        {...(isUrgent(kind) && { 'aria-hidden': false, 'aria-live': 'off' })}
        className="rounded-md border border-line bg-surface shadow-float transition-opacity data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
      >
        <Base.Content className="flex items-start gap-2.5 py-2.5 pr-1.5 pl-3 touch:py-1">
          <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0 touch:mt-3.5', color)} />
          <div className="min-w-0 flex-1 py-px touch:py-3">
            <Base.Title render={<span />} className="sr-only">
              {t(`kind.${kind}`)}
            </Base.Title>
            <Base.Description render={<div />} className="break-words" />
          </div>
          {undo === undefined ? null : (
            <Button
              size="sm"
              className="-my-1 self-center touch:my-0"
              onClick={() => {
                close(toast.id)
                undo()
              }}
            >
              {t('action.undo')}
            </Button>
          )}
          <Base.Close aria-label={t('toasts.close')} aria-hidden={false} className={cx(iconButtonClass, '-my-0.5 touch:my-0')}>
            <X aria-hidden className="size-4" />
          </Base.Close>
        </Base.Content>
      </Base.Root>
    )
  })
}
