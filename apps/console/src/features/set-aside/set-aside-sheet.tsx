import { ledger, type SetAsideRow } from '@sluice/contract'
import { AccountLink } from '../../crud/account-link.tsx'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Alert } from '../../ui/alert.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyCode } from '../../ui/copy-field.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { EntitySheet, type ListedSheetProps } from '../../ui/row-sheet.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { QuotaText, TimeText } from '../../ui/table/column-builders.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { setAsideLooks } from './set-aside-looks.ts'

/** Everything about one charge, with the operation that the database refused. */
export function SetAsideSheet(props: ListedSheetProps<SetAsideRow>) {
  const t = useT()
  return (
    <EntitySheet
      {...props}
      title={t('aside.sheet', { id: props.sheet.id })}
      nameOf={({ id }) => t('aside.sheet', { id })}
      badges={({ state }) => <StatusBadge looks={setAsideLooks} status={state} />}
    >
      {(row) => (
        <div key={row.id} className="space-y-4">
          {row.error_message === '' ? null : (
            <Alert kind="error" title={row.error_code || t('aside.error')}>
              <span className="whitespace-pre-wrap">{row.error_message}</span>
            </Alert>
          )}
          <Charge row={row} />
          <Origin row={row} />
          <Outcome row={row} />
          <Operation id={row.id} />
        </div>
      )}
    </EntitySheet>
  )
}

interface RowProps {
  readonly row: SetAsideRow
}

function Charge({ row }: RowProps) {
  const t = useT()
  return (
    <Facts title={t('aside.charge')}>
      <Fact label={t('aside.kind')} value={t(`aside.kind.${row.kind}`)} />
      <Fact label={t('aside.amount')} value={<QuotaText quota={row.amount} />} />
      <Fact label={t('aside.held')} value={<QuotaText quota={row.held} />} />
      <Fact label={t('aside.created')} value={<TimeText seconds={row.created_at} />} />
      <Fact label={t('aside.tries')} value={String(row.tries)} />
    </Facts>
  )
}

function Origin({ row }: RowProps) {
  const t = useT()
  return (
    <Facts title={t('aside.origin')}>
      <Fact label={t('aside.user')} value={<AccountLink id={row.user_id} />} />
      <Fact label={t('aside.token')} value={row.token_name || `#${row.token_id}`} />
      <Fact label={t('aside.model')} value={row.model_name} />
      <Fact label={t('aside.request')} value={<CopyCode text={row.request_id} label={t('aside.request.copy')} />} />
      <Fact
        label={t('aside.task')}
        value={
          row.task_id === '' ? null : (
            <TextLink to="/task" search={{ id: row.task_id }}>
              {row.task_id}
            </TextLink>
          )
        }
      />
      <Fact
        label={t('aside.log')}
        value={
          row.state === 'open' ? null : (
            <TextLink to="/log" search={{ request: row.request_id }}>
              {t('aside.log.show')}
            </TextLink>
          )
        }
      />
    </Facts>
  )
}

/** What was decided on it. */
function Outcome({ row }: RowProps) {
  const t = useT()
  if (row.state === 'open') return null
  return (
    <Facts title={t('aside.outcome')}>
      <Fact label={t('aside.charged')} value={<QuotaText quota={row.charged} />} />
      <Fact
        label={t('aside.resolvedBy')}
        value={row.resolved_by === 0 ? t('aside.resolvedBy.command') : <AccountLink id={row.resolved_by} />}
      />
      <Fact label={t('aside.resolvedAt')} value={<TimeText seconds={row.resolved_at} />} />
      <Fact label={t('aside.remark')} value={row.remark} />
    </Facts>
  )
}

function Operation({ id }: { readonly id: number }) {
  const t = useT()
  const read = useRead(ledger.setAsideOf, { input: { id }, isSilent: true })
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-muted">{t('aside.operation')}</h3>
      <ReadGate read={read} isPart>
        {({ operation }) =>
          operation === '' ? <p className="text-muted">{t('aside.operation.none')}</p> : <CodeBlock code={operation} language="JSON" />
        }
      </ReadGate>
    </section>
  )
}
