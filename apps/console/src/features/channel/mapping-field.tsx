import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Controller, useFormContext } from 'react-hook-form'
import { storage } from '../../lib/storage.ts'
import { useT } from '../../lib/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { type ControlProps, Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { ChannelValues } from './channel-values.ts'
import { type MappingRow, readMapping, repeatedNames, writeMapping } from './mapping-rows.ts'

/** Example of the specification, section 9. */
const example = [
  ['gpt-3.5-turbo-0301', 'gpt-3.5-turbo'],
  ['gpt-4-0314', 'gpt-4'],
  ['gpt-4-32k-0314', 'gpt-4-32k'],
] as const

type View = 'json' | 'grid'

const stored = 'ui-mapping'

/** The names of models at the vendor, as JSON or as a grid of two columns. Both show the same text, and the choice is kept. */
export function MappingField() {
  const t = useT()
  const { control: form, formState, watch } = useFormContext<ChannelValues>()
  const [view, setView] = useState<View>(() => (storage.readText(stored) === 'grid' ? 'grid' : 'json'))
  const isReadable = readMapping(watch('model_mapping')) !== null
  const choose = (next: View) => {
    storage.writeText(stored, next)
    setView(next)
  }
  return (
    <Field
      label={t('channel.mapping')}
      hint={t(view === 'json' ? 'channel.mapping.hint' : isReadable ? 'channel.mapping.grid.hint' : 'channel.mapping.unreadable')}
      error={formState.errors.model_mapping?.message}
      aside={
        <Segments
          label={t('channel.mapping.view')}
          value={view}
          options={[
            { value: 'json', label: 'JSON' },
            { value: 'grid', label: t('channel.mapping.grid') },
          ]}
          onChange={choose}
        />
      }
    >
      {(control) => (
        <Controller
          name="model_mapping"
          control={form}
          render={({ field }) =>
            view === 'grid' && isReadable ? (
              <MappingGrid control={control} value={field.value} onChange={field.onChange} />
            ) : (
              <JsonArea {...control} {...field} placeholder={JSON.stringify(Object.fromEntries(example), null, 2)} />
            )
          }
        />
      )}
    </Field>
  )
}

interface MappingGridProps {
  readonly control: ControlProps
  readonly value: string
  readonly onChange: (value: string) => void
}

const blank: MappingRow = { from: '', to: '' }

/** One pair a line, and an empty line for the next one. */
function MappingGrid({ control, value, onChange }: MappingGridProps) {
  const t = useT()
  // Lines that are being typed are no pairs yet. If the text is replaced, by its JSON or a reset, it counts.
  const [typed, setTyped] = useState<{ readonly text: string; readonly rows: readonly MappingRow[] }>({ text: value, rows: [] })
  const rows = typed.text === value && typed.rows.length > 0 ? typed.rows : (readMapping(value) ?? [])
  const visibleRows = rows.length === 0 ? [blank] : rows
  const repeated = repeatedNames(visibleRows)
  const set = (next: readonly MappingRow[]) => {
    const text = writeMapping(next)
    setTyped({ text, rows: next })
    onChange(text)
  }
  const edit = (at: number, change: Partial<MappingRow>) =>
    set(visibleRows.map((row, index) => (index === at ? { ...row, ...change } : row)))
  return (
    <div className="space-y-1.5">
      {visibleRows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line keeps its place while its names are typed
        <div key={index} className="grid grid-cols-[1fr_auto_1fr_auto] items-center gap-1.5">
          <Input
            {...(index === 0 && control)}
            aria-label={t('channel.mapping.from', { number: index + 1 })}
            aria-invalid={repeated.has(row.from) || undefined}
            value={row.from}
            placeholder={example[index]?.[0]}
            onChange={({ target }) => edit(index, { from: target.value })}
            className="font-mono text-sm"
          />
          <span aria-hidden className="text-muted">
            →
          </span>
          <Input
            aria-label={t('channel.mapping.to', { number: index + 1 })}
            aria-invalid={(row.from !== '' && row.to === '') || undefined}
            value={row.to}
            placeholder={example[index]?.[1]}
            onChange={({ target }) => edit(index, { to: target.value })}
            className="font-mono text-sm"
          />
          <IconButton
            label={t('channel.mapping.remove', { number: index + 1 })}
            onClick={() => set(visibleRows.filter((_, other) => other !== index))}
          >
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
      <Button size="sm" onClick={() => set([...visibleRows, blank])}>
        <Plus aria-hidden className="size-4 text-muted" />
        {t('channel.mapping.add')}
      </Button>
    </div>
  )
}
