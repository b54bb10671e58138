import type { ReactNode } from 'react'
import { readSort, type Sort, writeSort } from '../../lib/list-search.ts'
import { useT } from '../../lib/t.ts'
import type { ListView } from '../../lib/use-list.ts'
import { Select } from '../select.tsx'
import { Checkbox } from '../toggle.tsx'
import type { Column } from './column.ts'
import type { Selection } from './use-selection.ts'

interface CardsHeadProps<Row extends { readonly id: number }> {
  readonly list: Pick<ListView<Row>, 'sort' | 'setSort'>
  readonly columns: readonly Column<Row>[]
  readonly selection: Selection<Row> | null
  readonly allCount: number
  /** After the order. */
  readonly tools: ReactNode
}

/** What the head of a table offers, above cards: the selection of all rows, their order, and tools. */
export function CardsHead<Row extends { readonly id: number }>({ list, columns, selection, allCount, tools }: CardsHeadProps<Row>) {
  const t = useT()
  const count = selection?.rows.length ?? 0
  const sortable = columns.filter(({ sortValue }) => sortValue !== undefined)
  const orders = sortable.flatMap(({ id, header }) => [
    { value: id, label: t('list.sort.up', { name: header }) },
    { value: `-${id}`, label: t('list.sort.down', { name: header }) },
  ])
  return (
    <div className="mb-2 flex items-center justify-between gap-3 *:min-w-0">
      {selection === null ? (
        <span />
      ) : (
        <span className="flex min-h-11 items-center gap-3 pl-3 text-sm text-muted">
          <Checkbox
            label={t('list.select.all')}
            isChecked={count > 0 && count === allCount}
            isPartly={count > 0 && count < allCount}
            onChange={selection.toggleAll}
          />
          <span aria-hidden>{t('list.select.short')}</span>
        </span>
      )}
      <span className="flex items-center gap-1.5 *:min-w-0">
        <Select
          size="sm"
          label={t('list.sort')}
          value={sortName(list.sort)}
          options={[{ value: '', label: t('list.sort.none') }, ...orders]}
          onChange={(name) => list.setSort(readSort(name))}
        />
        {tools}
      </span>
    </div>
  )
}

const sortName = (sort: Sort | null): string => writeSort(sort) ?? ''
