import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { cellClass, headClass, TableFrame } from './table-head.tsx'

/** As many rows as a page has. */
const rows = Array.from({ length: 10 }, (_, index) => index)
/** Different widths, like those of texts. They are shares of the cell, so that no number of columns is wider than the page. */
const widths = ['w-4/5', 'w-1/2', 'w-2/3', 'w-3/5', 'w-3/4'] as const

interface BoneColumn {
  readonly id: string
  readonly isNumber?: boolean | undefined
}

interface ListSkeletonProps {
  readonly label: string
  readonly columns: readonly BoneColumn[]
  readonly hasSelection: boolean
  readonly hasActions: boolean
  readonly isPhone: boolean
  /** `false` = it only reserves the space. */
  readonly isShown: boolean
}

/** A page of placeholder rows in their final size, while the first rows are loaded. */
export function ListSkeleton({ isPhone, isShown, ...table }: ListSkeletonProps) {
  const t = useT()
  return (
    <div className={cx(!isShown && 'invisible')}>
      <span className="sr-only">{t('action.loading')}</span>
      {isPhone ? <CardBones /> : <TableBones {...table} />}
    </div>
  )
}

function TableBones({ label, columns, hasSelection, hasActions }: Omit<ListSkeletonProps, 'isPhone' | 'isShown'>) {
  return (
    <TableFrame label={label} isBusy>
      <thead>
        <tr>
          {hasSelection ? (
            <td className={cx(headClass, 'w-9 pr-0')}>
              <Bone className="size-4" />
            </td>
          ) : null}
          {columns.map(({ id, isNumber }) => (
            <td key={id} className={headClass}>
              <Bone className={cx('h-3 w-2/5', isNumber === true && 'ml-auto')} />
            </td>
          ))}
          {hasActions ? <td className={cx(headClass, 'w-24')} /> : null}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row} className="group">
            {hasSelection ? (
              <td className={cx(cellClass, 'pr-0')}>
                <Bone className="size-4" />
              </td>
            ) : null}
            {columns.map(({ id, isNumber }, column) => (
              <td key={id} className={cellClass}>
                <Bone className={cx('h-3.5', isNumber === true ? 'ml-auto w-2/5' : widths[(row + column) % widths.length])} />
              </td>
            ))}
            {hasActions ? (
              <td className={cellClass}>
                <Bone className="ml-auto h-3.5 w-4/5" />
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

/** Cards have up to four facts. */
const cardFacts = [1, 2, 3, 4] as const

function CardBones() {
  return (
    <ul aria-hidden className="space-y-2">
      {rows.map((row) => (
        <li key={row} className="rounded-md border bg-surface p-3">
          <div className="flex h-5 items-center justify-between">
            <Bone className="h-4 w-2/5" />
            <Bone className="h-4 w-16" />
          </div>
          <div className="mt-2 grid grid-cols-2 gap-x-3 gap-y-2">
            {cardFacts.map((fact) => (
              <div key={fact} className="h-8.5 space-y-1.5 pt-0.5">
                <Bone className="h-3 w-1/3" />
                <Bone className="h-3.5 w-2/3" />
              </div>
            ))}
          </div>
          <Bone className="mt-3 h-11 w-full" />
        </li>
      ))}
    </ul>
  )
}

function Bone({ className }: { readonly className: string }) {
  return <span aria-hidden className={cx('block animate-pulse rounded-sm bg-grey-tint', className)} />
}
