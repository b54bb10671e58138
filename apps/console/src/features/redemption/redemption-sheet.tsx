import { logType, type RedemptionRow } from '@sluice/contract'
import { AccountLink, useAccountName } from '../../crud/account-link.tsx'
import { redemptionLooks, stateOf } from '../../crud/redemption/redemption-looks.ts'
import { useT } from '../../lib/t.ts'
import { CopyCode } from '../../ui/copy-field.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { EntitySheet, type ListedSheetProps } from '../../ui/row-sheet.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { ExpiryText, QuotaText, TimeText } from '../../ui/table/column-builders.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { UnreadableBadge } from '../../ui/unreadable-badge.tsx'

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
  return (
    <Facts title={t('redemption.key')}>
      <Fact label={t('redemption.id')} value={String(row.id)} />
      <Fact
        label={t('redemption.key')}
        value={row.unreadable.length > 0 ? <UnreadableBadge row={row} /> : <CopyCode text={row.key} label={t('redemption.key.copy')} />}
      />
      <Fact label={t('redemption.quota')} value={<QuotaText quota={row.quota} />} />
      <Fact label={t('redemption.expires')} value={<ExpiryText seconds={row.expired_time} />} />
      <Fact label={t('redemption.created')} value={<TimeText seconds={row.created_time} />} />
      <Fact label={t('redemption.createdBy')} value={<AccountLink id={row.user_id} />} />
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
        <Fact label={t('redemption.redeemedBy')} value={<AccountLink id={row.used_user_id} />} />
      </Facts>
      <TopUps userId={row.used_user_id} />
    </>
  )
}

/** Where the log has the top-up. */
function TopUps({ userId }: { readonly userId: number }) {
  const t = useT()
  const name = useAccountName(userId)
  if (name === undefined) return null
  return (
    <TextLink to="/log" search={{ user: name, type: logType.topUp }}>
      {t('redemption.logs')}
    </TextLink>
  )
}
