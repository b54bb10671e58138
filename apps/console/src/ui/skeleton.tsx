import { cx } from '../lib/text.ts'

/** A grey placeholder of the final size. It is shown only after a short delay. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={cx('block animate-late-pulse rounded-sm bg-grey-tint', className)} />
}

export function Spinner({ label, isLate }: { readonly label: string; readonly isLate: boolean }) {
  return (
    <div
      role="status"
      data-page-loading
      className={cx('flex min-h-60 flex-col items-center justify-center gap-3 text-muted', isLate && 'animate-late-in')}
    >
      <span aria-hidden className="size-6 animate-spin rounded-full border-2 border-line border-t-accent" />
      <span>{label}</span>
    </div>
  )
}
