import { channelStatus, type ImportedRow, importSources } from '@sluice/contract'
import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { Button } from '../../ui/button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { StatusBadge, type StatusLooks } from '../../ui/status-badge.tsx'
import { Checkbox } from '../../ui/toggle.tsx'
import type { ChannelImport, Preview } from './use-import.ts'
import { useTypeTag } from './vendor-name.ts'

const importLooks: StatusLooks<ImportedRow['state']> = {
  byStatus: {
    new: { tone: 'green', text: 'transfer.state.new' },
    exists: { tone: 'yellow', text: 'transfer.state.exists' },
    invalid: { tone: 'red', text: 'transfer.state.invalid' },
  },
}

interface ImportPreviewProps {
  readonly preview: Preview
  readonly work: ChannelImport
}

/** What the server would make of each row, and which rows are imported. */
export function ImportPreview({ preview, work }: ImportPreviewProps) {
  const t = useT()
  const { rows, from, file } = preview
  const placesOf = (state: ImportedRow['state']) => [...rows.entries()].flatMap(([place, row]) => (row.state === state ? [place] : []))
  const conflicts = placesOf('exists')
  const valid = [...placesOf('new'), ...conflicts]
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set(placesOf('new')))
  const set = (places: readonly number[], isOn: boolean) =>
    setChosen((all) => (isOn ? new Set([...all, ...places]) : new Set([...all].filter((place) => !places.includes(place)))))
  const places = [...chosen].sort((a, b) => a - b)
  const count = places.reduce((sum, place) => sum + (rows[place]?.count ?? 0), 0)
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        {(['new', 'exists', 'invalid'] as const).map((state) => {
          const count = placesOf(state).length
          return count === 0 ? null : <StatusBadge key={state} looks={importLooks} status={state} count={count} />
        })}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        {file.version === null ? (
          <Select
            label={t('transfer.import.from')}
            size="sm"
            value={from}
            options={importSources.map((value) => ({ value, label: t(`transfer.from.${value}`) }))}
            onChange={(value) => work.readAs(file, value)}
          />
        ) : null}
        {conflicts.length === 0 ? null : (
          <div className="flex items-center gap-2">
            <span aria-hidden className="text-sm text-muted">
              {t('transfer.import.conflicts')}
            </span>
            <Segments
              label={t('transfer.import.conflicts')}
              value={choiceOf(conflicts.filter((place) => chosen.has(place)).length, conflicts.length)}
              options={(['skip', 'add'] as const).map((value) => ({ value, label: t(`transfer.import.${value}`) }))}
              onChange={(value) => set(conflicts, value === 'add')}
            />
          </div>
        )}
      </div>
      <table aria-label={t('transfer.import.table')} className="w-full text-sm">
        <thead>
          <tr className="border-b text-left text-xs text-muted">
            <th className="w-8 py-1.5 font-medium">
              <Checkbox
                label={t('transfer.import.rows')}
                isChecked={valid.length > 0 && chosen.size === valid.length}
                isPartly={chosen.size > 0 && chosen.size < valid.length}
                isDisabled={valid.length === 0}
                onChange={(isOn) => set(valid, isOn)}
              />
            </th>
            <th className="py-1.5 font-medium">{t('transfer.import.name')}</th>
            <th className="py-1.5 pl-2 font-medium">{t('transfer.import.state')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place in the file
            <PreviewRow key={place} row={row} place={place} isChosen={chosen.has(place)} onChange={(isOn) => set([place], isOn)} />
          ))}
        </tbody>
      </table>
      <div className="sticky -bottom-4 -mx-4 flex gap-2 border-t bg-surface px-4 py-3">
        <Button look="primary" disabled={count === 0} onClick={() => work.start(preview, places)}>
          {t('transfer.import.submit', { count })}
        </Button>
        <Button onClick={work.restart}>{t('transfer.import.other')}</Button>
      </div>
    </div>
  )
}

function choiceOf(chosen: number, all: number): 'skip' | 'add' | null {
  if (chosen === 0) return 'skip'
  return chosen === all ? 'add' : null
}

interface PreviewRowProps {
  readonly row: ImportedRow
  readonly place: number
  readonly isChosen: boolean
  readonly onChange: (isChosen: boolean) => void
}

function PreviewRow({ row, place, isChosen, onChange }: PreviewRowProps) {
  const t = useT()
  const tag = useTypeTag()
  const name = row.name === '' ? t('transfer.import.unnamed', { row: place + 1 }) : row.name
  const facts = [
    ...(vendorByType(row.type) === null ? [] : [tag(row.type).name]),
    ...(row.models === '' ? [] : [t('transfer.import.models', { count: row.models.split(',').length })]),
    ...(row.state !== 'invalid' && row.status !== channelStatus.enabled ? [t('transfer.import.disabled')] : []),
  ]
  const lines = row.state === 'invalid' ? [row.reason] : row.notes
  return (
    <tr className="border-b align-top last:border-b-0">
      <td className="py-2">
        <Checkbox
          label={t('transfer.import.row', { name })}
          isChecked={isChosen}
          isDisabled={row.state === 'invalid'}
          onChange={(isOn) => onChange(isOn)}
        />
      </td>
      <td className="py-2 break-words [overflow-wrap:anywhere]">
        <span dir="auto" className="font-medium">
          {name}
        </span>
        <p className="text-muted">{facts.join(' · ')}</p>
        {lines.map((text) => (
          <p key={text} className={row.state === 'invalid' ? 'text-red first-letter:uppercase' : 'text-muted first-letter:uppercase'}>
            {text}
          </p>
        ))}
      </td>
      <td className="py-2 pl-2 whitespace-nowrap">
        <StatusBadge looks={importLooks} status={row.state} />
      </td>
    </tr>
  )
}
