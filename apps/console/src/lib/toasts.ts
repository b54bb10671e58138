import { createStore, useStore } from './store.ts'

export type ToastKind = 'success' | 'info' | 'error' | 'warning' | 'notice'

/** How long each kind stays, in milliseconds; 0 = until it is closed (specification, section 9). */
export const toastMs: Readonly<Record<ToastKind, number>> = { success: 1500, info: 3000, error: 5000, warning: 10_000, notice: 0 }

export interface Toast {
  readonly id: number
  readonly kind: ToastKind
  readonly text: string
  readonly atMs: number
  readonly undo?: () => void
}

/** How many the bell remembers: 1.5 seconds are too short to read by. */
export const logSize = 50

const log = createStore<readonly Toast[]>([])
const unread = createStore(0)
const latest = createStore<Toast | null>(null)

export function showToast(kind: ToastKind, text: string, undo?: () => void): void {
  const toast: Toast = { id: (log.get()[0]?.id ?? 0) + 1, kind, text, atMs: Date.now(), ...(undo === undefined ? {} : { undo }) }
  log.set([toast, ...log.get()].slice(0, logSize))
  unread.set(unread.get() + 1)
  latest.set(toast)
}

/** Tells whoever draws toasts of each new one. */
export function onToast(listener: (toast: Toast) => void): () => void {
  return latest.subscribe(() => {
    const toast = latest.get()
    if (toast !== null) listener(toast)
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
