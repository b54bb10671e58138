import type { ChannelRow } from '@sluice/contract'
import { formatSeconds, responseTone, testNote } from '../../crud/channel/response-time.ts'
import { useLocale, useT } from '../../lib/t.ts'
import { formatRelative, formatTime } from '../../lib/time.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { Badge } from '../../ui/badge.tsx'
import { DataText } from '../../ui/data-text.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { formatBalance } from './balance.ts'
import { namesIn } from './names-in.ts'
import { testModelOf } from './test-model.ts'
import { useTypeTag } from './vendor-name.ts'

interface CellProps {
  readonly row: ChannelRow
}

export function TypeCell({ row }: CellProps) {
  const { name, color } = useTypeTag()(row.type)
  return (
    <span className="block max-w-36 truncate sm:max-[1399px]:max-w-20 2xl:max-w-56" title={name}>
      <Badge tone={color}>{name}</Badge>
    </span>
  )
}

export function ResponseCell({ row }: CellProps) {
  const t = useT()
  const locale = useLocale()
  const time = `${formatTime(row.test_time)} (${formatRelative(row.test_time, { nowMs: Date.now(), locale })})`
  return (
    <span title={t(testNote(row), { time })} className="inline-flex">
      <Badge tone={responseTone(row.response_time)}>
        {row.response_time === 0 ? t('channel.response.untested') : t('channel.response', { seconds: formatSeconds(row.response_time) })}
      </Badge>
    </span>
  )
}

interface BalanceCellProps extends CellProps {
  readonly onAsk: (row: ChannelRow) => unknown
}

/** The balance in the unit of its vendor. A click asks the vendor for it. */
export function BalanceCell({ row, onAsk }: BalanceCellProps) {
  const t = useT()
  const unit = vendorByType(row.type)?.balance
  if (unit === undefined) return <span className="text-muted">{t('channel.balance.none')}</span>
  const isKnown = row.balance_updated_time !== 0
  return (
    <button
      type="button"
      title={isKnown ? t('channel.balance.at', { time: formatTime(row.balance_updated_time) }) : t('channel.balance.never')}
      aria-label={t('channel.balance.of', { name: row.name, balance: formatBalance(row.balance, unit) })}
      onClick={() => onAsk(row)}
      className="min-h-6 rounded-sm underline-offset-2 hover:underline touch:min-h-11"
    >
      {formatBalance(row.balance, unit)}
    </button>
  )
}

interface TestModelCellProps extends CellProps {
  readonly chosen: string | undefined
  readonly onChoose: (row: ChannelRow, model: string) => void
}

/** The model that the row's test uses. It is stored in this page only. */
export function TestModelCell({ row, chosen, onChoose }: TestModelCellProps) {
  const t = useT()
  const models = namesIn(row.models)
  const model = testModelOf(models, chosen)
  if (models.length < 2) return <DataText text={model} className="max-w-32 font-mono text-xs max-[1399px]:max-w-20 2xl:max-w-56" />
  return (
    <SearchSelect
      size="sm"
      label={t('channel.testModel.of', { name: row.name })}
      value={model}
      options={models.map((name) => ({ value: name, label: name }))}
      onChange={(name) => onChoose(row, name)}
    />
  )
}
