import { Download, Loader2, RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { group } from '../../lib/quota.ts'
import { useIsReading } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import type { ExportFormat, FileExport } from '../../lib/use-file-export.ts'
import type { ListView } from '../../lib/use-list.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { Button, IconButton } from '../button.tsx'
import { Menu, MenuItem } from '../menu.tsx'
import { ColumnChooser } from './column-chooser.tsx'
import { SavedViews } from './saved-views.tsx'
import { SearchField } from './search-box.tsx'
import type { ChosenColumns } from './use-columns.ts'
import type { SearchBox } from './use-search-box.ts'

interface ListToolbarProps<Row extends { readonly id: number }> {
  readonly list: Pick<ListView<Row>, 'name' | 'key' | 'refresh' | 'rows'>
  readonly columns: ChosenColumns<Row>
  /** `null` = the list has no search. */
  readonly search: { readonly box: SearchBox; readonly label: string } | null
  /** `null` = the list has no file. */
  readonly onExport: ((format: ExportFormat) => void) | null
  readonly fileExport: Pick<FileExport, 'rowCount' | 'stop'>
  /** Sort select and filters of the page. */
  readonly children?: ReactNode
}

/** One line above a list: search and filters on the left, view options on the right. */
export function ListToolbar<Row extends { readonly id: number }>({
  list,
  columns,
  search,
  onExport,
  fileExport,
  children,
}: ListToolbarProps<Row>) {
  const isPhone = useIsPhone()
  return (
    <div data-list-tools className="mb-3 flex flex-wrap items-start gap-2 max-sm:items-center max-sm:gap-1.5 lg:flex-nowrap">
      {/* Many filters take a second line, and the view options stay where they are. */}
      <div className="contents lg:flex lg:min-w-0 lg:flex-1 lg:flex-wrap lg:items-center lg:gap-2">
        {search === null ? null : <SearchField {...search} />}
        {children}
      </div>
      <div className="ml-auto flex shrink-0 items-center gap-2 max-sm:gap-1.5">
        <SavedViews list={list.name} />
        <Refresh list={list} />
        {/* Phones have both above the cards. */}
        {onExport === null || fileExport.rowCount !== null || isPhone ? null : (
          <ExportMenu onExport={onExport} isDisabled={list.rows.length === 0} />
        )}
        {fileExport.rowCount === null ? null : <Exporting rowCount={fileExport.rowCount} onStop={fileExport.stop} />}
        {isPhone ? null : <ColumnChooser columns={columns} />}
      </div>
    </div>
  )
}

function Refresh({ list }: { readonly list: Pick<ListView<{ readonly id: number }>, 'key' | 'refresh'> }) {
  const t = useT()
  const isReading = useIsReading(list)
  return (
    <IconButton label={t('action.refresh')} onClick={list.refresh} aria-busy={isReading || undefined}>
      <RefreshCw aria-hidden className={cx('size-4', isReading && 'animate-spin')} />
    </IconButton>
  )
}

interface ExportMenuProps {
  readonly onExport: (format: ExportFormat) => void
  readonly isDisabled: boolean
}

function ExportMenu({ onExport, isDisabled }: ExportMenuProps) {
  const t = useT()
  return (
    <Menu
      trigger={
        <Button size="sm" disabled={isDisabled}>
          <Download aria-hidden className="size-4 text-muted" />
          {t('list.export')}
        </Button>
      }
    >
      <MenuItem onClick={() => onExport('csv')}>{t('list.export.csv')}</MenuItem>
      <MenuItem onClick={() => onExport('json')}>{t('list.export.json')}</MenuItem>
    </Menu>
  )
}

function Exporting({ rowCount, onStop }: { readonly rowCount: number; readonly onStop: () => void }) {
  const t = useT()
  return (
    <span className="flex items-center gap-2">
      <span role="status" className="flex items-center gap-1.5 text-sm tabular">
        <Loader2 aria-hidden className="size-4 animate-spin text-muted" />
        {t('list.exporting', { count: group(rowCount) })}
      </span>
      <Button size="sm" onClick={onStop}>
        {t('action.stop')}
      </Button>
    </span>
  )
}
