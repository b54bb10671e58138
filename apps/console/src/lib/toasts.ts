import { createStore, useStore } from './store.ts'

export type ToastKind = 'success' | 'info' | 'error' | 'warning' | 'notice'

/** How long each kind is shown, in milliseconds; 0 = until it is closed (specification, section 9). */
export const toastMs: Readonly<Record<ToastKind, number>> = { success: 1500, info: 3000, error: 5000, warning: 10_000, notice: 0 }

export interface Toast {
  readonly id: number
  readonly kind: ToastKind
  readonly text: string
  readonly atMs: number
  readonly undo?: () => void
  /** Shown instead of `text`, sanitised. */
  readonly html?: string
}

/** Number of toasts in the log: 1.5 seconds may be too short to read one. */
const logSize = 50

/** Calls of one page that fail for the same reason do so within this time, and are reported once. */
const burstMs = 1000

const log = createStore<readonly Toast[]>([])
const unread = createStore(0)
/** Id of the newest toast that was shown. */
const rendered = createStore(0)
/** Ids of the toasts of the log that were dismissed. */
const dismissed = createStore<readonly number[]>([])

export function showToast(kind: ToastKind, text: string, undo?: () => void): void {
  if (isFailureJustTold(kind, text)) return
  add({ kind, text, ...(undo === undefined ? {} : { undo }) })
}

/** The notice of an administrator, which may be HTML. */
export function showNotice(html: string): void {
  // A document of the parser runs and loads nothing.
  const text = new DOMParser().parseFromString(html, 'text/html').body.textContent.trim()
  add({ kind: 'notice', text, html })
}

function isFailureJustTold(kind: ToastKind, text: string): boolean {
  // An information is a failure with status 405.
  if (kind !== 'error' && kind !== 'info') return false
  return log.get().some((toast) => toast.kind === kind && toast.text === text && Date.now() - toast.atMs < burstMs)
}

function add(toast: Omit<Toast, 'id' | 'atMs'>): void {
  log.set([{ ...toast, id: (log.get()[0]?.id ?? 0) + 1, atMs: Date.now() }, ...log.get()].slice(0, logSize))
  unread.set(unread.get() + 1)
}

/** Passes each new toast to the listener, and first those from before there was a listener, unless they were dismissed meanwhile. */
export function takeToasts(listener: (toast: Toast) => void): () => void {
  const deliver = () => {
    for (const toast of log
      .get()
      .filter(({ id }) => id > rendered.get() && !dismissed.get().includes(id))
      .reverse())
      listener(toast)
    rendered.set(log.get()[0]?.id ?? 0)
  }
  deliver()
  return log.subscribe(deliver)
}

/** Closes the toasts with these words. They stay in the log. */
export function dismissToasts(kind: ToastKind, text: string): void {
  dismissed.set(
    log
      .get()
      .filter((toast) => (toast.kind === kind && toast.text === text) || dismissed.get().includes(toast.id))
      .map(({ id }) => id),
  )
}

/** Passes the ids of toasts that are dismissed to the listener. */
export function takeDismissed(listener: (id: number) => void): () => void {
  return dismissed.subscribe(() => {
    for (const id of dismissed.get()) listener(id)
  })
}

export function useToastLog(): readonly Toast[] {
  return useStore(log)
}

export function useUnreadToasts(): number {
  return useStore(unread)
}

export function markToastsRead(): void {
  unread.set(0)
}
