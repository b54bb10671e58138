import { useIsPhone } from '../../lib/use-media.ts'
import { Skeleton } from '../../ui/skeleton.tsx'

const rows = Array.from({ length: 10 }, (_, index) => index)
/** Different widths, like those of names. */
const widths = ['w-48', 'w-36', 'w-56', 'w-40'] as const

/** The shape of the page while the models are loaded: tools, count and rows in their final size. */
export function ModelBones() {
  const isPhone = useIsPhone()
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Skeleton className="h-8 w-full sm:h-7 sm:w-72 touch:h-11" />
        <Skeleton className="h-7 w-24 touch:h-11" />
        <Skeleton className="h-7 w-28 touch:h-11" />
        <Skeleton className="h-7 w-44 sm:ml-auto touch:h-11.5" />
      </div>
      <div className="mb-2 flex h-5 items-center">
        <Skeleton className="h-3.5 w-20" />
      </div>
      <div className="divide-y rounded-md border bg-surface">
        {isPhone ? rows.map((row) => <CardBone key={row} row={row} />) : <TableBones />}
      </div>
    </>
  )
}

const widthOf = (row: number) => widths[row % widths.length]

function CardBone({ row }: { readonly row: number }) {
  return (
    <div className="space-y-3.5 px-4 py-4">
      <div className="flex justify-between">
        <Skeleton className={`h-3.5 ${widthOf(row)}`} />
        <Skeleton className="h-3.5 w-12" />
      </div>
      <div className="flex justify-between">
        <Skeleton className="h-3.5 w-28" />
        <Skeleton className="h-3.5 w-20" />
      </div>
    </div>
  )
}

function TableBones() {
  return rows.map((row) => (
    <div key={row} className="flex h-(--row) items-center gap-6 px-3">
      <Skeleton className={`h-3.5 ${row === 0 ? 'w-16' : widthOf(row)}`} />
      <Skeleton className="ml-auto h-3.5 w-16" />
      <Skeleton className="h-3.5 w-16" />
      <Skeleton className="h-3.5 w-12" />
      <Skeleton className="h-3.5 w-24" />
      <Skeleton className="h-3.5 w-20" />
    </div>
  ))
}
