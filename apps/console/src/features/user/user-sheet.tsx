import { role, type UserRow } from '@sluice/contract'
import { AccountLink } from '../../crud/account-link.tsx'
import { group } from '../../lib/quota.ts'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { CopyCode } from '../../ui/copy-field.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { AllGroupTags } from '../../ui/group-tags.tsx'
import { EntitySheet, type ListedSheetProps } from '../../ui/row-sheet.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { QuotaText, TimeText } from '../../ui/table/column-builders.tsx'
import { roleLooks, userLooks } from './user-looks.ts'
import { UserTokens } from './user-tokens.tsx'

/** All facts of one account. */
export function UserSheet(props: ListedSheetProps<UserRow>) {
  const t = useT()
  const { isRoot } = useSession()
  return (
    <EntitySheet
      {...props}
      title={t('user.sheet', { id: props.sheet.id })}
      nameOf={({ username }) => username}
      badges={(row) => (
        <>
          <StatusBadge looks={userLooks} status={row.status} />
          <StatusBadge looks={roleLooks} status={row.role} />
        </>
      )}
    >
      {(row) => (
        <>
          <Account row={row} />
          <Use row={row} />
          <Bindings row={row} />
          {row.role < (isRoot ? role.root : role.admin) ? <UserTokens row={row} /> : null}
        </>
      )}
    </EntitySheet>
  )
}

interface RowProps {
  readonly row: UserRow
}

function Account({ row }: RowProps) {
  const t = useT()
  return (
    <Facts title={t('user.section.account')}>
      <Fact label={t('user.id')} value={String(row.id)} />
      <Fact label={t('user.username')} value={row.username} />
      <Fact label={t('user.displayName')} value={row.display_name} />
      <Fact label={t('user.created')} value={row.created_time === 0 ? '' : <TimeText seconds={row.created_time} />} />
      <Fact
        label={t('user.affCode')}
        value={row.aff_code === '' ? null : <CopyCode text={row.aff_code} label={t('user.affCode.copy')} />}
      />
      <Fact label={t('user.inviter')} value={row.inviter_id === 0 ? null : <AccountLink id={row.inviter_id} />} />
    </Facts>
  )
}

function Use({ row }: RowProps) {
  const t = useT()
  return (
    <Facts title={t('user.section.use')}>
      <Fact label={t('user.group')} value={<AllGroupTags group={row.group} />} />
      <Fact label={t('user.quota')} value={<QuotaText quota={row.quota} />} />
      <Fact label={t('user.used')} value={<QuotaText quota={row.used_quota} />} />
      <Fact label={t('user.requests')} value={group(row.request_count)} />
    </Facts>
  )
}

function Bindings({ row }: RowProps) {
  const t = useT()
  const unbound = <span className="text-muted">{t('user.unbound')}</span>
  return (
    <Facts title={t('user.section.bindings')}>
      <Fact label={t('user.secondFactor')} value={t(row.second_factor ? 'user.secondFactor.on' : 'user.secondFactor.off')} />
      <Fact label={t('user.email')} value={row.email || unbound} />
      <Fact label={t('user.github')} value={row.github_id || unbound} />
      <Fact label={t('user.google')} value={row.google_id || unbound} />
      <Fact label={t('user.oidc')} value={row.oidc_id || unbound} />
      <Fact label={t('user.wechat')} value={row.wechat_id || unbound} />
      <Fact label={t('user.lark')} value={row.lark_id || unbound} />
    </Facts>
  )
}
