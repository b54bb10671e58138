import { type TokenRow, tokenLimitNames } from '@sluice/contract'
import { group } from '../../lib/quota.ts'
import { useT } from '../../lib/t.ts'
import { maskSecret, splitNames } from '../../lib/text.ts'
import { CopyCode } from '../../ui/copy-field.tsx'
import { DataList } from '../../ui/data-text.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { EntitySheet, type ListedSheetProps } from '../../ui/row-sheet.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { TimeText } from '../../ui/table/column-builders.tsx'
import { UnreadableBadge } from '../../ui/unreadable-badge.tsx'
import { ExpiryCell, RemainCell, UsedCell } from './token-cells.tsx'
import { tokenLooks } from './token-looks.ts'

/** All facts of one token. */
export function TokenSheet(props: ListedSheetProps<TokenRow>) {
  const t = useT()
  return (
    <EntitySheet
      {...props}
      title={t('token.sheet', { id: props.sheet.id })}
      nameOf={({ name }) => name}
      badges={(row) => <StatusBadge looks={tokenLooks} status={row.status} />}
    >
      {(row) => (
        <>
          <Identity row={row} />
          <Quota row={row} />
          <Access row={row} />
          <Limits row={row} />
        </>
      )}
    </EntitySheet>
  )
}

interface RowProps {
  readonly row: TokenRow
}

function Identity({ row }: RowProps) {
  const t = useT()
  return (
    <Facts title={t('token.section.key')}>
      <Fact label={t('token.id')} value={String(row.id)} />
      <Fact
        label={t('token.key')}
        value={
          row.unreadable.length > 0 ? (
            <UnreadableBadge row={row} />
          ) : (
            <CopyCode text={`sk-${row.key}`} displayText={`sk-${maskSecret(row.key)}`} label={t('token.created.copy')} />
          )
        }
      />
      <Fact label={t('token.created')} value={<TimeText seconds={row.created_time} />} />
      <Fact label={t('token.accessed')} value={<TimeText seconds={row.accessed_time} />} />
    </Facts>
  )
}

function Quota({ row }: RowProps) {
  const t = useT()
  return (
    <Facts title={t('token.section.limit')}>
      <Fact label={t('token.used')} value={<UsedCell row={row} />} />
      <Fact label={t('token.remain')} value={<RemainCell row={row} />} />
      <Fact label={t('token.expires')} value={<ExpiryCell row={row} />} />
    </Facts>
  )
}

function Access({ row }: RowProps) {
  const t = useT()
  const list = (names: string, all: string) =>
    names === '' ? (
      <span className="text-muted">{all}</span>
    ) : (
      <span className="font-mono text-xs break-all">
        <DataList names={splitNames(names)} />
      </span>
    )
  return (
    <Facts title={t('token.section.access')}>
      <Fact label={t('token.models')} value={list(row.models, t('token.models.all'))} />
      <Fact label={t('token.subnet')} value={list(row.subnet, t('token.subnet.all'))} />
      <Fact label={t('token.own_work_only')} value={t(row.own_work_only ? 'token.own_work_only.on' : 'token.own_work_only.off')} />
    </Facts>
  )
}

function Limits({ row }: RowProps) {
  const t = useT()
  const none = <span className="text-muted">{t('token.limits.none')}</span>
  return (
    <Facts title={t('token.section.rate')}>
      {tokenLimitNames.map((name) => (
        <Fact key={name} label={t(`token.limits.${name}`)} value={row[name] === 0 ? none : group(row[name])} />
      ))}
    </Facts>
  )
}
