import { Download } from 'lucide-react'
import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import type { ExportFormat } from '../../lib/use-file-export.ts'
import { Button, IconButton } from '../button.tsx'
import { Sheet } from '../sheet.tsx'
import { ColumnList } from './column-chooser.tsx'
import type { ChosenColumns } from './use-columns.ts'

interface ExportSheetProps<Row> {
  readonly columns: ChosenColumns<Row>
  readonly onExport: (format: ExportFormat) => void
  readonly isDisabled: boolean
}

/** The export of a list on phones, where cards have no columns to choose: the sheet chooses those of the file. */
export function ExportSheet<Row>({ columns, onExport, isDisabled }: ExportSheetProps<Row>) {
  const t = useT()
  const [isOpen, setOpen] = useState(false)
  const start = (format: ExportFormat) => {
    setOpen(false)
    onExport(format)
  }
  return (
    <>
      <IconButton label={t('list.export')} disabled={isDisabled} onClick={() => setOpen(true)}>
        <Download aria-hidden className="size-4" />
      </IconButton>
      <Sheet title={t('list.export')} side="bottom" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="space-y-4">
          <div className="grid grid-cols-2 gap-2 *:h-full">
            <Button look="primary" onClick={() => start('csv')}>
              {t('list.export.csv')}
            </Button>
            <Button onClick={() => start('json')}>{t('list.export.json')}</Button>
          </div>
          <div>
            <div className="mb-1 flex items-center justify-between gap-2">
              <h3 className="font-semibold">{t('list.export.columns')}</h3>
              <Button size="sm" look="quiet" onClick={columns.reset}>
                {t('action.reset')}
              </Button>
            </div>
            <ColumnList columns={columns} />
          </div>
        </div>
      </Sheet>
    </>
  )
}
