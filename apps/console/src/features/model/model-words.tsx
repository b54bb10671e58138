import type { Modality, ModelFeature, ModelRow } from '@sluice/contract'
import { durationText } from '../../lib/duration-text.ts'
import { type Translate, useLocale, useT } from '../../lib/t.ts'
import { vendorByType, vendorName } from '../../lib/vendors.ts'
import { Badge } from '../../ui/badge.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { VendorBadge } from '../../ui/vendor-badge.tsx'
import { modelLooks } from './model-looks.ts'
import type { ModelSort } from './model-order.ts'
import { isFree, type PriceLine, priceLines, priceText } from './model-prices.ts'
import type { PriceUnit } from './model-search.ts'

/** Whether requests of a model are served now: without a price they are refused, however well its channels work. */
export function ModelBadge({ row }: { readonly row: Pick<ModelRow, 'state' | 'is_priced'> }) {
  return <StatusBadge looks={modelLooks} status={row.is_priced ? row.state : 'refused'} />
}

export function Kinds({ kinds }: Pick<ModelRow, 'kinds'>) {
  const t = useT()
  return (
    <span className="flex flex-wrap gap-1">
      {kinds.map((kind) => (
        <Badge key={kind} tone="grey">
          {t(`model.kind.${kind}`)}
        </Badge>
      ))}
    </span>
  )
}

/** What goes into a model or comes out of it, in words. */
export function useModalityText(): (modalities: readonly Modality[]) => string {
  const t = useT()
  return (all) => all.map((one) => t(`model.modality.${one}`)).join(t('model.comma'))
}

/** What a model can do, in words. */
export function useFeatureText(): (features: readonly ModelFeature[]) => string {
  const t = useT()
  return (all) => all.map((one) => t(`model.feature.${one}`)).join(t('model.comma'))
}

interface VendorsProps {
  readonly types: readonly number[]
  readonly hasNames: boolean
}

/** The vendors that serve a model: marks in a list, names beside them in its details. */
export function Vendors({ types, hasNames }: VendorsProps) {
  const locale = useLocale()
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {types.map((type) => {
        const vendor = vendorByType(type)
        if (vendor === null) return null
        const name = vendorName(vendor, locale)
        return (
          <span key={type} title={name} className="inline-flex items-center gap-1.5">
            <VendorBadge name={name} color={vendor.color} />
            <span className={hasNames ? '' : 'sr-only'}>{name}</span>
          </span>
        )
      })}
    </span>
  )
}

interface SortedByProps {
  readonly row: Pick<ModelRow, 'released' | 'first_byte' | 'tokens_per_second'>
  readonly sort: ModelSort | undefined
}

/** What the list is in the order of, where it is shown only then. */
export function SortedBy({ row: { released, first_byte: firstByte, tokens_per_second: throughput }, sort }: SortedByProps) {
  const t = useT()
  if (sort === '-released') return released
  if (sort === '-throughput') return throughput === null ? null : t('model.perSecond', { tokens: throughput })
  return sort === 'speed' && firstByte !== null ? durationText(firstByte, t) : null
}

/** A price with what it is for. */
export function lineText({ per, amount }: PriceLine, unit: PriceUnit, t: Translate): string {
  return t(`model.per.${per}`, { price: priceText(amount, unit) })
}

interface PriceProps {
  readonly row: ModelRow
  readonly unit: PriceUnit
  readonly quotaPerDollar: number
}

/** Input and output, or the price of a piece; in a list. */
export function MainPrices({ row, unit, quotaPerDollar }: PriceProps) {
  const t = useT()
  if (!row.is_priced) return <span className="text-muted">{t('model.unpriced')}</span>
  const lines = priceLines(row.prices, unit, quotaPerDollar)
  if (isFree(lines)) return <Badge tone="green">{t('model.free')}</Badge>
  const [input, output] = ['prompt', 'completion'].map((name) => lines.find((line) => line.unit === name))
  if (input === undefined && output === undefined) {
    const [line] = lines
    return line === undefined ? null : <span>{lineText(line, unit, t)}</span>
  }
  return (
    <span className="inline-flex gap-1.5 whitespace-nowrap">
      <span title={t('model.input')}>{input === undefined ? '–' : priceText(input.amount, unit)}</span>
      <span aria-hidden className="text-faint">
        /
      </span>
      <span className="sr-only">{t('model.output')}</span>
      <span title={t('model.output')}>{output === undefined ? '–' : priceText(output.amount, unit)}</span>
    </span>
  )
}
