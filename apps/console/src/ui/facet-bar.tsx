import { ListFilter, X } from 'lucide-react'
import { useState } from 'react'
import { useKey } from '../lib/shortcuts.ts'
import { useT } from '../lib/t.ts'
import { useIsPhone } from '../lib/use-media.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Select } from './select.tsx'
import { Sheet } from './sheet.tsx'

/** A property of rows with a few values, one of which may be chosen. The server filters or sorts by it. */
export interface Facet {
  /** Its name in the address. */
  readonly name: string
  readonly label: string
  /** 0 and empty = all. */
  readonly value: string | number | undefined
  /** Without "all". */
  readonly options: readonly { readonly value: string | number; readonly label: string }[]
  /** What "all" is called, if not so: the order of rows has a usual one. */
  readonly allLabel?: string
}

interface FacetBarProps {
  readonly facets: readonly Facet[]
  readonly set: (change: Readonly<Record<string, string | number | undefined>>) => void
  /** Removes the filters; `null` = none is set. */
  readonly clear: (() => void) | null
}

/** The facets of a list, each one click away; on phones they are in a sheet. */
export function FacetBar(props: FacetBarProps) {
  return useIsPhone() ? <FacetSheet {...props} /> : <FacetSelects {...props} />
}

function FacetSelects({ facets, set, clear }: FacetBarProps) {
  const t = useT()
  return (
    <>
      {facets.map((facet) => (
        <FacetSelect key={facet.name} facet={facet} set={set} label={facet.label} size="sm" />
      ))}
      {clear === null ? null : (
        <Button size="sm" look="quiet" onClick={clear}>
          <X aria-hidden className="size-4" />
          {t('list.filters.clear')}
        </Button>
      )}
    </>
  )
}

function FacetSheet({ facets, set, clear }: FacetBarProps) {
  const t = useT()
  const [isOpen, setOpen] = useState(false)
  const count = facets.filter(({ value }) => isSet(value)).length
  useKey('f', () => setOpen(true))
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        <ListFilter aria-hidden className="size-4 text-muted" />
        {count === 0 ? t('list.filters') : t('list.filters.count', { count })}
      </Button>
      <Sheet title={t('list.filters')} side="bottom" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="space-y-4">
          {facets.map((facet) => (
            <Field key={facet.name} label={facet.label}>
              {(control) => <FacetSelect facet={facet} set={set} {...control} />}
            </Field>
          ))}
          <div className="flex gap-2">
            <Button look="primary" onClick={() => setOpen(false)}>
              {t('list.filters.show')}
            </Button>
            {clear === null ? null : <Button onClick={clear}>{t('list.filters.clear')}</Button>}
          </div>
        </div>
      </Sheet>
    </>
  )
}

interface FacetSelectProps extends Pick<FacetBarProps, 'set'> {
  readonly facet: Facet
  readonly id?: string
  readonly label?: string
  readonly size?: 'sm'
}

function FacetSelect({ facet: { name, value, options, allLabel }, set, ...control }: FacetSelectProps) {
  const t = useT()
  const all = typeof options[0]?.value === 'number' ? 0 : ''
  // A value of the address that is no option is shown as it is.
  const isOther = isSet(value) && options.every((option) => option.value !== value)
  return (
    <Select
      {...control}
      value={value ?? all}
      options={[
        { value: all, label: allLabel ?? t('list.filters.all') },
        ...options,
        ...(isOther && value !== undefined ? [{ value, label: String(value) }] : []),
      ]}
      onChange={(chosen: string | number) => set({ [name]: chosen || undefined })}
    />
  )
}

const isSet = (value: Facet['value']): boolean => value !== undefined && value !== '' && value !== 0
