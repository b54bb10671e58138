import { useLocale, useT } from '../../lib/t.ts'
import { vendorName, vendors } from '../../lib/vendors.ts'
import { VendorBadge } from '../../ui/vendor-badge.tsx'
import type { SectionParts } from './option-section.tsx'
import { PriceCell } from './price-cell.tsx'
import { withRatio } from './ratio-rows.ts'
import { useRatioOption } from './use-ratios.ts'

interface TypeFactorsProps {
  readonly parts: SectionParts
  /** Words that the name must have. */
  readonly query: string
}

/** The factors of channel types, which multiply the prices of requests to their channels. */
export function TypeFactors({ parts, query }: TypeFactorsProps) {
  const t = useT()
  const locale = useLocale()
  const { ratios, write } = useRatioOption(parts, 'ChannelTypeRatio')
  if (ratios === null) return <p className="rounded-sm border border-dashed p-3 text-muted">{t('setting.prices.invalid')}</p>
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const rows = vendors
    .map((vendor) => ({ type: String(vendor.type), name: vendorName(vendor, locale), color: vendor.color }))
    .filter(({ type, name }) => words.every((word) => `${type} ${name}`.toLowerCase().includes(word)))
  return (
    <section aria-label={t('setting.prices.types.table')} className="h-96 overflow-auto rounded-sm border thin-scroll">
      <table className="w-full border-separate border-spacing-0 text-sm">
        <thead>
          <tr className="h-8 text-left text-xs text-muted">
            <th className="sticky top-0 z-10 border-b bg-sunken pl-3 font-medium">{t('setting.prices.type')}</th>
            <th className="sticky top-0 z-10 border-b bg-sunken px-2 text-right font-medium">{t('setting.prices.factor')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ type, name, color }) => (
            <tr key={type} data-type={type} className="hover:bg-hover">
              <th scope="row" className="border-b py-0.5 pl-3 text-left font-normal">
                <span className="flex items-center gap-2">
                  <VendorBadge name={name} color={color} />
                  {name}
                  <span className="text-muted tabular">{type}</span>
                </span>
              </th>
              <td className="w-32 border-b px-1">
                <PriceCell
                  label={t('setting.prices.cell', { column: t('setting.prices.factor'), model: name })}
                  value={ratios.get(type) ?? null}
                  onChange={(value) => write(withRatio(ratios, type, value))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 ? <p className="px-3 py-6 text-center text-muted">{t('setting.prices.types.none')}</p> : null}
    </section>
  )
}
