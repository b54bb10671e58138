import { channel } from '@sluice/contract'
import { ClipboardPaste, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/input.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { SectionParts } from './option-section.tsx'
import { PastePrices } from './paste-prices.tsx'
import { RatioGrid } from './ratio-grid.tsx'
import { matchingRows, type RatioRow, unknownPrice } from './ratio-rows.ts'
import { TypeFactors } from './type-factors.tsx'
import { useRatios } from './use-ratios.ts'

type View = 'all' | 'unpriced' | 'types'

/** The prices of models as a table, in sync with the JSON of the options below it. */
export function RatioTable(parts: SectionParts) {
  const t = useT()
  const { quotaPerUnit } = useMoney()
  const scale = useMemo(() => ({ quotaPerUnit }), [quotaPerUnit])
  const editor = useRatios(parts, scale)
  const [view, setView] = useState<View>('all')
  const [query, setQuery] = useState('')
  const [isPasting, setPasting] = useState(false)
  const [added, setAdded] = useState<readonly string[]>([])
  const unpriced = useRead(channel.unpriced, { input: { models: '' }, isEnabled: view === 'unpriced' })
  if (editor === null) return <p className="rounded-sm border border-dashed p-3 text-muted">{t('setting.prices.invalid')}</p>
  const rows = view === 'unpriced' ? onlyNames(editor.rows, unpriced.data ?? []) : withNames(editor.rows, added)
  const visible = matchingRows(rows, query)
  const none = view === 'unpriced' && query === '' && unpriced.data !== undefined ? 'setting.prices.unpriced.none' : 'setting.prices.none'
  return (
    <div>
      <h3 className="font-semibold">{t('setting.prices.title')}</h3>
      <p className="mb-2 text-sm text-muted">{t('setting.prices.lead')}</p>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Input
          role="searchbox"
          aria-label={t('setting.prices.filter')}
          placeholder={t('setting.prices.filter')}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
          onKeyDown={keepInside}
          className="min-w-40 flex-1 sm:h-7 sm:max-w-56 sm:text-sm"
        />
        <Segments
          label={t('setting.prices.table')}
          value={view}
          options={(['all', 'unpriced', 'types'] as const).map((value) => ({ value, label: t(`setting.prices.${value}`) }))}
          onChange={setView}
        />
        {view === 'types' ? null : (
          <>
            <AddModel
              onAdd={(name) => {
                setView('all')
                setQuery(name)
                setAdded((names) => [...names, name])
              }}
            />
            <Button size="sm" onClick={() => setPasting(true)}>
              <ClipboardPaste aria-hidden className="size-4" />
              {t('setting.prices.paste')}
            </Button>
          </>
        )}
      </div>
      {view === 'types' ? (
        <TypeFactors parts={parts} query={query} />
      ) : (
        <>
          <RatioGrid rows={visible} scale={scale} none={t(none)} onCell={editor.setCell} onRemove={editor.remove} />
          <p role="status" className="mt-1 text-right text-xs text-muted tabular">
            {t('setting.prices.count', { count: visible.length })}
          </p>
        </>
      )}
      <PastePrices scale={scale} isOpen={isPasting} onClose={() => setPasting(false)} onTake={editor.setRows} />
    </div>
  )
}

/** Enter in these fields must not save the section. */
function keepInside(event: { readonly key: string; preventDefault(): void }): void {
  if (event.key === 'Enter') event.preventDefault()
}

function AddModel({ onAdd }: { readonly onAdd: (name: string) => void }) {
  const t = useT()
  const [name, setName] = useState('')
  const add = () => {
    if (name.trim() === '') return
    onAdd(name.trim())
    setName('')
  }
  return (
    <span className="flex gap-1">
      <Input
        aria-label={t('setting.prices.add.name')}
        placeholder={t('setting.prices.add.name')}
        value={name}
        maxLength={256}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={(event) => {
          keepInside(event)
          if (event.key === 'Enter') add()
        }}
        className="w-40 sm:h-7 sm:text-sm"
      />
      <Button size="sm" disabled={name.trim() === ''} onClick={add}>
        <Plus aria-hidden className="size-4" />
        {t('setting.prices.add')}
      </Button>
    </span>
  )
}

/** Added models come first, until they have a price. */
function withNames(rows: readonly RatioRow[], names: readonly string[]): readonly RatioRow[] {
  const known = new Set(rows.map(({ name }) => name))
  const fresh = [...new Set(names)].filter((name) => !known.has(name))
  return fresh.length === 0 ? rows : [...fresh.map(unknownPrice), ...rows]
}

function onlyNames(rows: readonly RatioRow[], names: readonly string[]): readonly RatioRow[] {
  const known = new Map(rows.map((row) => [row.name, row]))
  return names.map((name) => known.get(name) ?? unknownPrice(name))
}
