import { type ModelRow, modelKinds } from '@sluice/contract'
import type { Filters } from '../../lib/filters.ts'
import { useLocale, useT } from '../../lib/t.ts'
import { vendorByType, vendorName } from '../../lib/vendors.ts'
import { type Facet, FacetBar } from '../../ui/facet-bar.tsx'
import { SearchField } from '../../ui/table/search-box.tsx'
import { useSearchBox } from '../../ui/table/use-search-box.ts'
import { featureChoices, featuresOf, modalities } from './model-choices.ts'
import { modelSorts } from './model-order.ts'
import type { ModelFilters, modelFilters } from './model-search.ts'
import { useFeatureText } from './model-words.tsx'

interface ModelToolsProps {
  readonly rows: readonly ModelRow[]
  readonly filters: ModelFilters
  readonly change: Filters<typeof modelFilters>['set']
  /** Removes the filters beside the search; `null` = none is set. */
  readonly clear: (() => void) | null
  readonly refresh: () => void
}

/** The search, the filters that some model of the list matches, and the order. */
export function ModelTools({ rows, filters, change, clear, refresh }: ModelToolsProps) {
  const t = useT()
  const locale = useLocale()
  const featureText = useFeatureText()
  const box = useSearchBox({ keyword: filters.q ?? '', setKeyword: (q) => change({ q }), refresh })
  const types = [...new Set(rows.flatMap(({ vendors }) => vendors))]
  const names = types.flatMap((type) => {
    const vendor = vendorByType(type)
    return vendor === null ? [] : [{ value: type, label: vendorName(vendor, locale) }]
  })
  const kinds = modelKinds.filter((kind) => rows.some((row) => row.kinds.includes(kind)))
  const choices = featureChoices.filter((choice) => rows.some(({ features }) => featuresOf(choice).every((one) => features.includes(one))))
  const modalityFacet = (name: 'input' | 'output', member: 'inputs' | 'outputs'): Facet => ({
    ...{ name, label: t(`model.${name}s`), value: filters[name] ?? '' },
    options: modalities
      .filter((value) => rows.some((row) => row[member].includes(value)))
      .map((value) => ({ value, label: t(`model.modality.${value}`) })),
  })
  const facets: readonly Facet[] = [
    {
      name: 'kind',
      label: t('model.kind'),
      value: filters.kind,
      options: kinds.map((value) => ({ value, label: t(`model.kind.${value}`) })),
    },
    {
      ...{ name: 'vendor', label: t('model.vendor'), value: filters.vendor },
      options: names.sort((one, other) => one.label.localeCompare(other.label)),
    },
    modalityFacet('input', 'inputs'),
    modalityFacet('output', 'outputs'),
    {
      ...{ name: 'can', label: t('model.features'), value: filters.can },
      options: choices.map((value) => ({ value, label: featureText(featuresOf(value)) })),
    },
    {
      ...{ name: 'sort', label: t('model.sort'), value: filters.sort, allLabel: t('model.sort.name') },
      options: modelSorts.map((value) => ({ value, label: t(`model.sort.${value}`) })),
    },
  ]
  return (
    <div data-list-tools className="mb-3 flex flex-wrap items-center gap-2">
      <div className="flex w-full sm:w-60">
        <SearchField box={box} label={t('model.search')} />
      </div>
      <FacetBar facets={facets} set={change} clear={clear} />
    </div>
  )
}
