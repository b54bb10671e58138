import { Skeleton } from '../../ui/skeleton.tsx'

const rows = Array.from({ length: 10 }, (_, index) => index)
/** Different widths, like those of names. */
const widths = ['w-48', 'w-36', 'w-56', 'w-40'] as const

/** Rows in their final size, while the models are loaded. */
export function ModelBones({ isPhone }: { readonly isPhone: boolean }) {
  return (
    <div aria-busy className="divide-y rounded-md border bg-surface">
      {isPhone ? rows.map((row) => <CardBone key={row} row={row} />) : <TableBones />}
    </div>
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
