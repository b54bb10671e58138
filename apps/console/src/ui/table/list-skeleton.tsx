import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { cellClass, TableFrame } from './table-head.tsx'

/** As many rows as a page has. */
const rows = Array.from({ length: 10 }, (_, index) => index)
/** Different widths, like those of texts. */
const widths = ['w-32', 'w-16', 'w-24', 'w-20', 'w-28'] as const

interface ListSkeletonProps {
  readonly label: string
  readonly columnCount: number
  readonly isPhone: boolean
  /** `false` = it only reserves the space. */
  readonly isShown: boolean
}

/** A page of placeholder rows in their final size, while the first rows are loaded. */
export function ListSkeleton({ label, columnCount, isPhone, isShown }: ListSkeletonProps) {
  const t = useT()
  return (
    <div className={cx(!isShown && 'invisible')}>
      <span className="sr-only">{t('action.loading')}</span>
      {isPhone ? <CardBones /> : <TableBones label={label} columnCount={columnCount} />}
    </div>
  )
}

function TableBones({ label, columnCount }: Pick<ListSkeletonProps, 'label' | 'columnCount'>) {
  const columns = Array.from({ length: columnCount }, (_, index) => index)
  return (
    <TableFrame label={label} isBusy>
      <thead>
        <tr>
          {columns.map((column) => (
            <td key={column} className="h-8 border-b px-3">
              <Bone className="h-3 w-16" />
            </td>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row} className="group">
            {columns.map((column) => (
              <td key={column} className={cellClass}>
                <Bone className={cx('h-3.5', widths[(row + column) % widths.length])} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

function CardBones() {
  return (
    <ul aria-hidden className="space-y-2">
      {rows.map((row) => (
        <li key={row} className="h-44 space-y-3 rounded-md border bg-surface p-3">
          <Bone className="h-4 w-40" />
          <Bone className="h-8 w-full" />
          <Bone className="h-8 w-full" />
        </li>
      ))}
    </ul>
  )
}

function Bone({ className }: { readonly className: string }) {
  return <span aria-hidden className={cx('block animate-pulse rounded-sm bg-grey-tint', className)} />
}
