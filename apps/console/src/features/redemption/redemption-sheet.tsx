import { logType, type RedemptionRow, user } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { CopyCode } from '../../ui/copy-field.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { EntitySheet, type ListedSheetProps } from '../../ui/row-sheet.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { QuotaText, TimeText } from '../../ui/table/column-builders.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { redemptionLooks, stateOf } from './redemption-looks.ts'

/** All facts of one code. */
export function RedemptionSheet(props: ListedSheetProps<RedemptionRow>) {
  const t = useT()
  return (
    <EntitySheet
      {...props}
      title={t('redemption.sheet', { id: props.sheet.id })}
      nameOf={({ name }) => name}
      badges={(row) => <StatusBadge looks={redemptionLooks} status={stateOf(row)} />}
    >
      {(row) => (
        <>
          <Code row={row} />
          <Redeemed row={row} />
        </>
      )}
    </EntitySheet>
  )
}

interface RowProps {
  readonly row: RedemptionRow
}

function Code({ row }: RowProps) {
  const t = useT()
  const never = <span className="text-muted">{t('time.never')}</span>
  return (
    <Facts title={t('redemption.key')}>
      <Fact label={t('redemption.id')} value={String(row.id)} />
      <Fact label={t('redemption.key')} value={<CopyCode text={row.key} label={t('redemption.key.copy')} />} />
      <Fact label={t('redemption.quota')} value={<QuotaText quota={row.quota} />} />
      <Fact label={t('redemption.expires')} value={row.expired_time === -1 ? never : <TimeText seconds={row.expired_time} />} />
      <Fact label={t('redemption.created')} value={<TimeText seconds={row.created_time} />} />
      <Fact label={t('redemption.createdBy')} value={<Account id={row.user_id} />} />
    </Facts>
  )
}

function Redeemed({ row }: RowProps) {
  const t = useT()
  if (row.redeemed_time === 0) return null
  return (
    <>
      <Facts title={t('redemption.use')}>
        <Fact label={t('redemption.redeemed')} value={<TimeText seconds={row.redeemed_time} />} />
        <Fact label={t('redemption.redeemedBy')} value={<Account id={row.used_user_id} />} />
      </Facts>
      <TopUps userId={row.used_user_id} />
    </>
  )
}

/** The account with this id; 0 = unknown, since it was left out of an import. */
function Account({ id }: { readonly id: number }) {
  const t = useT()
  const { data } = useAccount(id)
  if (id === 0) return <span className="text-muted">{t('word.unknown')}</span>
  return (
    <TextLink to="/user" search={{ row: id }}>
      {data?.username ?? `#${id}`}
    </TextLink>
  )
}

/** Where the log has the top-up. */
function TopUps({ userId }: { readonly userId: number }) {
  const t = useT()
  const { data } = useAccount(userId)
  if (data === undefined) return null
  return (
    <TextLink to="/log" search={{ user: data.username, type: logType.topUp }}>
      {t('redemption.logs')}
    </TextLink>
  )
}

/** Silent, because the account may have been deleted. */
const useAccount = (id: number) => useRead(user.get, { input: { id }, isEnabled: id > 0, freshMs: 60_000, isSilent: true })
