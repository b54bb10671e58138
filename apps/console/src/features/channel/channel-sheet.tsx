import { type ChannelRow, type ChannelTestRow, channel, rawProxyType } from '@sluice/contract'
import type { ReactNode } from 'react'
import { ChannelHealthBadge } from '../../crud/channel/channel-health.tsx'
import { channelLooks } from '../../crud/channel/channel-looks.ts'
import { ChannelLossBadge } from '../../crud/channel/channel-loss.tsx'
import { formatSeconds } from '../../crud/channel/response-time.ts'
import { HealthLine, useTestHistory } from '../../crud/channel/test-history.tsx'
import { formatQuota, group } from '../../lib/quota.ts'
import { rewriteName } from '../../lib/rewrite-name.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import { useRead } from '../../lib/use-call.ts'
import type { RowSheet } from '../../lib/use-row-sheet.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { DataList } from '../../ui/data-text.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { AllGroupTags } from '../../ui/group-tags.tsx'
import { RowSheetPanel } from '../../ui/row-sheet.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { UnreadableBadge } from '../../ui/unreadable-badge.tsx'
import { formatBalance } from './balance.ts'
import { ResponseCell, TypeCell } from './channel-cells.tsx'
import { namesIn } from './names-in.ts'
import { rawProxyNames } from './raw-proxy-fields.tsx'
import { SheetButtons } from './sheet-buttons.tsx'
import type { BalanceQuery } from './use-channel-balance.ts'
import type { ChannelTest } from './use-channel-test.ts'

interface ChannelSheetProps {
  readonly sheet: RowSheet<ChannelRow>
  readonly balance: BalanceQuery
  readonly test: ChannelTest
  readonly onNewKey: (row: ChannelRow) => void
}

/** All facts of one channel. */
export function ChannelSheet({ sheet, balance, test, onNewKey }: ChannelSheetProps) {
  const t = useT()
  return (
    <RowSheetPanel sheet={sheet} title={t('channel.sheet', { id: sheet.id })} nameOf={({ name }) => name}>
      {(row) => <Content row={row} balance={balance} actions={<SheetButtons row={row} test={test} onNewKey={() => onNewKey(row)} />} />}
    </RowSheetPanel>
  )
}

interface ContentProps {
  readonly row: ChannelRow
  readonly balance: BalanceQuery
  readonly actions: ReactNode
}

function Content({ row, balance, actions }: ContentProps) {
  const tests = useTestHistory([row]).get(row.id) ?? []
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge looks={channelLooks} status={row.status} />
        <UnreadableBadge row={row} />
        <ChannelHealthBadge id={row.id} />
        <ChannelLossBadge id={row.id} />
        <TypeCell row={row} />
      </div>
      {/* Five buttons share one line. */}
      <div className="flex flex-wrap gap-2 sm:gap-1.5 sm:*:px-2">{actions}</div>
      <Connection row={row} />
      <Money row={row} balance={balance} />
      <Models row={row} />
      <Settings row={row} />
      <Tests row={row} tests={tests} />
    </div>
  )
}

function Connection({ row }: { readonly row: ChannelRow }) {
  const t = useT()
  const vendor = vendorByType(row.type)
  return (
    <Facts title={t('channel.section.access')}>
      <Fact label={t('channel.id')} value={String(row.id)} />
      <Fact
        label={t('channel.baseUrl')}
        value={<code className="font-mono text-xs break-all">{row.base_url || (vendor?.routes.baseUrl ?? '')}</code>}
      />
      <Fact label={t('channel.other')} value={row.other} />
      <Fact label={t('channel.group')} value={<AllGroupTags group={row.group} />} />
      <Fact label={t('channel.tag')} value={row.tag} />
      <Fact label={t('channel.priority')} value={group(row.priority)} />
      <Fact label={t('channel.weight')} value={group(row.weight)} />
      {vendor?.group === 'media' ? <WebhookFact id={row.id} /> : null}
      <Fact label={t('channel.createdTime')} value={row.created_time === 0 ? '' : formatTime(row.created_time)} />
    </Facts>
  )
}

/** Where the vendor sends the webhook for a completed task; nothing if it sends none. */
function WebhookFact({ id }: Pick<ChannelRow, 'id'>) {
  const t = useT()
  const { data } = useRead(channel.webhook, { input: { id }, freshMs: webhookFreshMs, isSilent: true })
  const { address = '' } = data ?? {}
  if (address === '') return null
  return (
    <Fact
      label={t('channel.webhook')}
      value={
        <>
          <CopyField text={address} label={t('channel.webhook.copy')} />
          <span className="block text-sm text-muted">{t('channel.webhook.hint')}</span>
        </>
      }
    />
  )
}

/** It changes only with the option `ServerAddress`. */
const webhookFreshMs = 60_000

/** The balance as the vendor reports it, also for vendors whose unit the list does not know. */
function Money({ row, balance }: Omit<ContentProps, 'actions'>) {
  const t = useT()
  const money = useMoney()
  const vendor = vendorByType(row.type)
  const canAsk = vendor?.askBalance !== undefined
  const isKnown = row.balance_updated_time !== 0
  return (
    <Facts
      title={t('channel.balance')}
      action={
        canAsk ? (
          <Button size="sm" isBusy={balance.isAsking(row.id)} onClick={() => void balance.run(row)}>
            {t('channel.balance.update')}
          </Button>
        ) : undefined
      }
    >
      <Fact
        label={t('channel.balance.left')}
        value={
          canAsk || isKnown ? (
            <>
              <span className="font-semibold">
                {isKnown ? (vendor?.balance === undefined ? String(row.balance) : formatBalance(row.balance, vendor.balance)) : '—'}
              </span>
              <span className="block text-sm text-muted">
                {isKnown ? t('channel.balance.at', { time: formatTime(row.balance_updated_time) }) : t('channel.balance.never')}
                {isKnown && vendor?.balance === undefined ? ` · ${t('channel.balance.ownUnit')}` : ''}
              </span>
            </>
          ) : (
            <span className="text-muted">{t('channel.balance.none')}</span>
          )
        }
      />
      <Fact label={t('channel.used')} value={formatQuota(row.used_quota, money)} />
    </Facts>
  )
}

function Models({ row }: { readonly row: ChannelRow }) {
  const t = useT()
  const models = namesIn(row.models)
  return (
    <Facts title={t('channel.sheet.models', { count: models.length })}>
      <div>
        <dt className="sr-only">{t('channel.models')}</dt>
        <dd className="max-h-48 overflow-y-auto py-2 font-mono text-xs leading-5 break-all thin-scroll">
          {models.length === 0 ? <span className="text-muted">{t('word.none')}</span> : <DataList names={models} />}
        </dd>
      </div>
      {row.model_mapping === '' ? null : (
        <Fact label={t('channel.mapping')} value={<code className="font-mono text-xs break-all">{row.model_mapping}</code>} />
      )}
      <Fact label={t('channel.test_model')} value={row.test_model} />
    </Facts>
  )
}

/** Settings that differ from those of all channels. */
function Settings({ row }: { readonly row: ChannelRow }) {
  const t = useT()
  const numbers = ['in_flight_max', 'first_byte_seconds', 'idle_seconds', 'total_seconds'] as const
  const isProxy = row.type === rawProxyType
  const isSpecial = !row.auto_disable || row.content_of_key || row.cost_factor !== 1 || isProxy
  const isPlain =
    numbers.every((name) => row[name] === 0) &&
    row.proxy + row.headers + row.system_prompt + row.cost_prices + row.allowed_members + row.rewrites_off === '' &&
    !isSpecial
  if (isPlain) return null
  return (
    <Facts title={t('channel.section.advanced')}>
      {numbers.map((name) => (
        <Fact key={name} label={t(`channel.${name}`)} value={row[name] === 0 ? '' : group(row[name])} />
      ))}
      <Fact label={t('channel.proxy')} value={row.proxy} />
      <Fact label={t('channel.headers')} value={row.headers} />
      {isProxy ? <ProxyRules row={row} /> : null}
      <Fact label={t('channel.system_prompt')} value={row.system_prompt} />
      {row.cost_factor === 1 ? null : <Fact label={t('channel.cost_factor')} value={String(row.cost_factor)} />}
      <Fact
        label={t('channel.cost_prices')}
        value={row.cost_prices === '' ? '' : <code className="font-mono text-xs break-all">{row.cost_prices}</code>}
      />
      <Fact label={t('channel.content_of_key')} value={t(row.content_of_key ? 'action.yes' : 'action.no')} />
      <Fact label={t('channel.allowed_members')} value={row.allowed_members} />
      <Fact label={t('channel.rewrites_off')} value={row.rewrites_off === '' ? null : <RewriteNames kinds={row.rewrites_off} />} />
      <Fact label={t('channel.auto_disable')} value={t(row.auto_disable ? 'action.yes' : 'action.no')} />
    </Facts>
  )
}

function RewriteNames({ kinds }: { readonly kinds: string }) {
  const t = useT()
  return <DataList names={namesIn(kinds).map((kind) => rewriteName(kind, t))} />
}

function ProxyRules({ row }: { readonly row: ChannelRow }) {
  const t = useT()
  return rawProxyNames.map((name) => (
    <Fact key={name} label={t(`channel.${name}`)} value={row[name] === '' ? t('channel.rawProxy.all') : row[name]} />
  ))
}

function Tests({ row, tests }: { readonly row: ChannelRow; readonly tests: readonly ChannelTestRow[] }) {
  const t = useT()
  return (
    <Facts title={t('channel.sheet.tests')}>
      <Fact label={t('channel.responseTime')} value={<ResponseCell row={row} />} />
      <Fact label={t('channel.health')} value={<HealthLine tests={tests} />} />
      {[...tests].reverse().map((test, index) => (
        <Fact
          // biome-ignore lint/suspicious/noArrayIndexKey: two tests may be alike, and their order never changes
          key={`${test.created_time} ${test.model} ${index}`}
          label={formatTime(test.created_time)}
          value={
            <>
              <span className="block font-mono text-xs break-all">{test.model}</span>
              {test.passed ? (
                <span className="text-sm text-green">{t('channel.response', { seconds: formatSeconds(test.elapsed_time) })}</span>
              ) : (
                <span className="block text-sm text-red">{t('channel.sheet.failed', { reason: test.message })}</span>
              )}
            </>
          }
        />
      ))}
    </Facts>
  )
}
