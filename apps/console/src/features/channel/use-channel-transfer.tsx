import type { ChannelRow } from '@sluice/contract'
import { type ReactNode, useState } from 'react'
import { late } from '../../lib/late.ts'
import { withTexts } from '../../lib/t.ts'
import { LateLayer } from '../../ui/late-layer.tsx'
import type { ExportInput } from './export-input.ts'

const exportCode = late(withTexts(() => import('./export-dialog.tsx'), 'transfer', 'freshLogin', 'secondStep'))
const importCode = late(withTexts(() => import('./import-sheet.tsx'), 'transfer', 'channel'))

export interface ChannelTransfer {
  /** Exports what the list shows with its search and filters. */
  readonly openExport: () => void
  readonly exportRows: (rows: readonly ChannelRow[]) => void
  readonly openImport: () => void
  /** To be shown by the page. */
  readonly layers: ReactNode
}

/** The export and the import of channels as files, whose code is loaded when they are first opened. */
export function useChannelTransfer(listed: ExportInput): ChannelTransfer {
  // The input is kept while the dialog closes.
  const [exportInput, setExportInput] = useState<ExportInput>({})
  const [open, setOpen] = useState<'export' | 'import' | null>(null)
  const close = () => setOpen(null)
  const openExport = (input: ExportInput) => {
    setExportInput(input)
    setOpen('export')
  }
  return {
    openExport: () => openExport(listed),
    exportRows: (rows) => openExport({ ids: rows.map(({ id }) => id) }),
    openImport: () => setOpen('import'),
    layers: (
      <>
        <LateLayer code={exportCode} isOpen={open === 'export'} onFailed={close}>
          {({ ExportDialog }) => <ExportDialog input={exportInput} isOpen={open === 'export'} onClose={close} />}
        </LateLayer>
        <LateLayer code={importCode} isOpen={open === 'import'} onFailed={close}>
          {({ ImportSheet }) => <ImportSheet isOpen={open === 'import'} onClose={close} />}
        </LateLayer>
      </>
    ),
  }
}
