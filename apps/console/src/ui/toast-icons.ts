import { CircleAlert, CircleCheck, Info, Megaphone, TriangleAlert } from 'lucide-react'
import type { ToastKind } from '../lib/toasts.ts'

export const toastIcons = {
  success: { icon: CircleCheck, color: 'text-green' },
  info: { icon: Info, color: 'text-blue' },
  error: { icon: CircleAlert, color: 'text-red' },
  warning: { icon: TriangleAlert, color: 'text-yellow' },
  notice: { icon: Megaphone, color: 'text-accent' },
} as const satisfies Record<ToastKind, unknown>
