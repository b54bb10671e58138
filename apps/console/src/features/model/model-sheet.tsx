import type { ModelRow } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { useClientOrigin } from '../../lib/client-origin.ts'
import { durationText } from '../../lib/duration-text.ts'
import { group } from '../../lib/quota.ts'
import { type CodeLanguage, codeLanguageNames, codeLanguages } from '../../lib/request-code.ts'
import { useSession } from '../../lib/session.ts'
import { isMessageKey, type MessageKey, useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyCode } from '../../ui/copy-field.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { callOf } from './model-calls.ts'
import { isFree, priceLines } from './model-prices.ts'
import type { PriceUnit } from './model-search.ts'
import { Kinds, lineText, ModelBadge, useFeatureText, useModalityText, Vendors } from './model-words.tsx'

interface ModelSheetProps {
  /** `undefined` = none is open. */
  readonly row: ModelRow | undefined
  readonly unit: PriceUnit
  readonly quotaPerDollar: number
  readonly onClose: () => void
}

/** All that is known of a model, and how it is called. */
export function ModelSheet({ row, unit, quotaPerDollar, onClose }: ModelSheetProps) {
  // Kept while the sheet fades away.
  const [last, setLast] = useState(row)
  if (row !== undefined && row !== last) setLast(row)
  return (
    <Sheet title={last?.name ?? ''} side="right" isOpen={row !== undefined} onClose={onClose}>
      {last === undefined ? null : <Details key={last.name} row={last} unit={unit} quotaPerDollar={quotaPerDollar} />}
    </Sheet>
  )
}

type DetailsProps = Required<Pick<ModelSheetProps, 'unit' | 'quotaPerDollar'>> & { readonly row: ModelRow }

function Details({ row, unit, quotaPerDollar }: DetailsProps) {
  const t = useT()
  const { isSignedIn } = useSession()
  const [modalityText, featureText] = [useModalityText(), useFeatureText()]
  const isKnown = [row.inputs, row.outputs, row.features].some((all) => all.length > 0)
  const tokens = (count: number) => (count === 0 ? '' : t('model.tokens', { count: group(count) }))
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <ModelBadge row={row} />
        {isSignedIn && row.is_priced && row.kinds.includes('chat') ? (
          <Link to="/playground" search={{ model: row.name }} className={buttonClass({ look: 'primary', size: 'sm' })}>
            <FlaskConical aria-hidden className="size-4" />
            {t('model.try')}
          </Link>
        ) : null}
      </div>
      <Facts title={t('model.facts')}>
        <Fact label={t('model.column.name')} value={<CopyCode text={row.name} label={t('model.copy', { name: row.name })} />} />
        <Fact label={t('model.column.kind')} value={<Kinds kinds={row.kinds} />} />
        <Fact label={t('model.column.vendor')} value={<Vendors types={row.vendors} hasNames />} />
        <Fact label={t('model.column.context')} value={tokens(row.context)} />
        <Fact label={t('model.output.max')} value={tokens(row.output)} />
        <Fact label={t('model.inputs')} value={modalityText(row.inputs)} />
        <Fact label={t('model.outputs')} value={modalityText(row.outputs)} />
        <Fact label={t('model.features')} value={featureText(row.features)} />
        <Fact label={t('model.column.released')} value={row.released} />
        <Fact
          label={t('model.column.firstByte')}
          value={row.first_byte === null ? '' : <span title={t('model.firstByte.hint')}>{durationText(row.first_byte, t)}</span>}
        />
        <Fact
          label={t('model.column.throughput')}
          value={
            row.tokens_per_second === null ? (
              ''
            ) : (
              <span title={t('model.throughput.hint')}>{t('model.perSecond', { tokens: row.tokens_per_second })}</span>
            )
          }
        />
      </Facts>
      {isKnown ? <p className="text-sm text-muted">{t('model.facts.note')}</p> : null}
      <Prices row={row} unit={unit} quotaPerDollar={quotaPerDollar} />
      <Calls row={row} />
    </div>
  )
}

function Prices({ row, unit, quotaPerDollar }: DetailsProps) {
  const t = useT()
  if (!row.is_priced) return <Alert kind="warning">{t('model.unpriced.note')}</Alert>
  const lines = priceLines(row.prices, unit, quotaPerDollar)
  return (
    <>
      <Facts title={t('model.prices')}>
        {isFree(lines) ? <Fact label={t('model.free')} value={t('model.free.note')} /> : null}
        {lines.map((line) => (
          <Fact key={line.unit} label={t(unitKey(line.unit))} value={lineText(line, unit, t)} />
        ))}
      </Facts>
      {row.tiers.map((tier) => (
        <Facts key={`${tier.above} ${tier.above_output}`} title={tierTitle(tier, t)}>
          {priceLines(tier.prices, unit, quotaPerDollar).map((line) => (
            <Fact key={line.unit} label={t(unitKey(line.unit))} value={lineText(line, unit, t)} />
          ))}
        </Facts>
      ))}
    </>
  )
}

/** A unit that a newer server has is shown without a name of its own. */
function unitKey(unit: string): MessageKey {
  const key = `model.price.${unit}`
  return isMessageKey(key) ? key : 'model.price.other'
}

function tierTitle({ above, above_output: aboveOutput }: ModelRow['tiers'][number], t: ReturnType<typeof useT>): string {
  if (aboveOutput > 0) return t('model.tier.output', { count: group(above), output: group(aboveOutput) })
  return t('model.tier', { count: group(above) })
}

/** A call of the model, where it has one of its own. */
function Calls({ row }: { readonly row: ModelRow }) {
  const t = useT()
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const origin = useClientOrigin()
  const code = callOf(language, { model: row.name, kind: row.kinds[0] ?? 'chat', origin })
  if (code === null) return null
  return (
    <section aria-label={t('model.code')}>
      <CodeBlock
        code={code}
        language={
          <div className="-ml-2 py-1">
            <Segments
              label={t('model.code')}
              value={language}
              options={codeLanguages.map((value) => ({ value, label: codeLanguageNames[value] }))}
              onChange={setLanguage}
            />
          </div>
        }
      />
    </section>
  )
}
