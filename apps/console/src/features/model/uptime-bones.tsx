import { Skeleton } from '../../ui/skeleton.tsx'

const rows = Array.from({ length: 8 }, (_, index) => index)
/** Different widths, like those of names. */
const widths = ['w-32', 'w-40', 'w-28', 'w-48'] as const

/** The verdict, the tools and the rows of bars in their final size, while the models are loaded. */
export function UptimeBones() {
  return (
    <div className="space-y-3">
      <div className="rounded-md border bg-surface px-3 py-2.5">
        <p className="flex items-center">
          &#8203;
          <Skeleton className="h-4 w-48" />
        </p>
      </div>
      <div className="flex min-h-8 items-center justify-between touch:min-h-11">
        <Skeleton className="h-4 w-40" />
        <Skeleton className="h-7 w-32" />
      </div>
      <div className="divide-y rounded-md border bg-surface">
        {rows.map((row) => (
          <div key={row} className="space-y-2 px-4 py-3">
            <p className="flex items-center max-sm:pb-5.5">
              &#8203;
              <Skeleton className={`h-3.5 ${widths[row % widths.length]}`} />
              <Skeleton className="ml-auto h-3.5 w-20 max-sm:hidden" />
            </p>
            <Skeleton className="h-8 w-full" />
            <p className="text-xs">&#8203;</p>
          </div>
        ))}
      </div>
    </div>
  )
}
