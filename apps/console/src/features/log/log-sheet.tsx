import { type AdminLogRow, account, type LogRow, logType } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { ArrowUpRight, ListFilter, Waypoints } from 'lucide-react'
import { useFilters } from '../../lib/filters.ts'
import { exactQuota, formatQuota, group } from '../../lib/quota.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useLocale, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { formatRelative, formatTime, formatUtc } from '../../lib/time.ts'
import { useRead } from '../../lib/use-call.ts'
import type { RowSheet } from '../../lib/use-row-sheet.ts'
import { buttonClass, IconButton, iconButtonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-field.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { RowSheetPanel } from '../../ui/row-sheet.tsx'
import type { RowLink } from '../../ui/table/actions.ts'
import { TextLink } from '../../ui/text-link.tsx'
import { attemptSpans } from './attempt-spans.ts'
import { Attempts, FailureText } from './attempts.tsx'
import { EndBadge, formatCharge, formatDuration, TypeBadge, useUnitName } from './log-format.tsx'
import { type LogFilters, logFilters } from './log-search.ts'
import { RewriteList } from './rewrite-list.tsx'

/** Members for administrators are missing for other users. */
type SheetRow = LogRow & Partial<AdminLogRow>

/** All details of one row. */
export function LogSheet({ sheet }: { readonly sheet: RowSheet<SheetRow> }) {
  const t = useT()
  return (
    <RowSheetPanel sheet={sheet} title={t('log.sheet', { id: sheet.id })}>
      {(row) => <Content row={row} />}
    </RowSheetPanel>
  )
}

interface RowProps {
  readonly row: SheetRow
}

function Content({ row }: RowProps) {
  const t = useT()
  const locale = useLocale()
  const isRequest = row.request_id !== '' || row.type === logType.consume
  return (
    <div className="space-y-4">
      <div className="flex items-start justify-between gap-3">
        <div>
          <p className="font-medium tabular">{formatTime(row.created_at)}</p>
          <p className="text-sm text-muted tabular">
            {formatUtc(row.created_at)} · {formatRelative(row.created_at, { nowMs: Date.now(), locale })}
          </p>
        </div>
        <div className="flex items-center gap-2">
          <TypeBadge row={row} />
          <CopyButton text={JSON.stringify(row, null, 2)} label={t('log.sheet.copy.json')} />
        </div>
      </div>
      {row.content === '' ? null : (
        <p className="rounded-sm bg-sunken px-3 py-2 break-words">
          <span className="sr-only">{t('log.column.detail')}: </span>
          {row.content}
        </p>
      )}
      <Request row={row} />
      {isRequest || row.quota !== 0 ? <Usage row={row} isRequest={isRequest} /> : null}
      {row.charges.length === 0 ? null : <Charges row={row} />}
      {row.rewrites.length === 0 ? null : <RewriteList rewrites={row.rewrites} />}
      {isRequest ? <Course row={row} /> : null}
      {isRequest ? <WhyLink row={row} /> : null}
      {row.failed_attempts === undefined ? null : <Tried row={{ ...row, failed_attempts: row.failed_attempts }} />}
    </div>
  )
}

function Request({ row }: RowProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const { set } = useFilters(logFilters)
  // Nobody sees the tokens of other accounts.
  const { data: self } = useRead(account.self, { input: {}, freshMs: 60_000, isSilent: true })
  // The sheet closes, because the list shows the result.
  const only = (filters: LogFilters) => () => set(filters)
  return (
    <Facts title={t('log.sheet.request')}>
      {isAdmin ? (
        <FilterFact
          label={t('log.column.user')}
          value={row.username}
          onFilter={only({ user: row.username })}
          link={{ to: '/user', search: { q: row.username } }}
        />
      ) : null}
      <FilterFact
        label={t('log.column.token')}
        value={row.token_name}
        onFilter={only({ token: row.token_name })}
        link={row.user_id === self?.id ? { to: '/token', search: { q: row.token_name } } : null}
      />
      <FilterFact label={t('log.column.model')} value={row.model_name} onFilter={only({ model: row.model_name })} />
      <Fact label={t('log.sheet.upstream')} value={row.upstream_model} />
      {isAdmin && row.channel !== 0 ? (
        <FilterFact
          label={t('log.column.channel')}
          value={String(row.channel)}
          onFilter={only({ channel: row.channel })}
          link={{ to: '/channel', search: { row: row.channel } }}
        />
      ) : null}
      {row.request_id === '' ? null : (
        <Fact
          label={t('log.column.request')}
          value={
            <span className="flex items-center justify-end gap-1">
              <code className="font-mono text-xs text-balance break-all">{row.request_id}</code>
              <CopyButton text={row.request_id} label={t('log.sheet.copy.request')} />
            </span>
          }
        />
      )}
      <Fact label={t('log.sheet.task')} value={row.task_id === '' ? null : <TaskLink row={row} />} />
    </Facts>
  )
}

/** Old tasks are deleted before their rows of the log: then the list has none with this id. */
function TaskLink({ row }: RowProps) {
  return (
    <TextLink to="/task" search={{ id: row.task_id }}>
      <span className="break-all">{row.task_id}</span>
    </TextLink>
  )
}

function Usage({ row, isRequest }: RowProps & { readonly isRequest: boolean }) {
  const t = useT()
  const money = useMoney()
  const { isAdmin } = useSession()
  return (
    <Facts title={t('log.sheet.usage')}>
      <Fact
        label={t('log.column.quota')}
        value={
          <>
            <span className="font-semibold">{formatQuota(row.quota, money)}</span>
            <span className="block text-sm text-muted">
              {money.inCurrency ? `${exactQuota(row.quota, money)} ${t('unit.quota')}` : exactQuota(row.quota, money)}
            </span>
          </>
        }
      />
      {isAdmin && isRequest ? (
        <Fact label={t('log.column.cost')} value={row.cost == null ? t('log.sheet.cost.unknown') : formatQuota(row.cost, money)} />
      ) : null}
      {isRequest ? (
        <>
          <Fact label={t('log.column.prompt')} value={group(row.prompt_tokens)} />
          <Fact label={t('log.column.cached')} value={group(row.cached_tokens)} />
          <Fact label={t('log.column.completion')} value={group(row.completion_tokens)} />
          <Fact label={t('log.sheet.counted')} value={t(countedBy(row))} />
        </>
      ) : null}
    </Facts>
  )
}

function countedBy({ usage_suspect: isSuspect, estimated }: LogRow) {
  if (isSuspect) return 'log.sheet.counted.suspect'
  return estimated ? 'log.sheet.counted.us' : 'log.sheet.counted.vendor'
}

/** The line items of the row; their sum, rounded up once, is its cost. */
function Charges({ row }: RowProps) {
  const t = useT()
  const nameOf = useUnitName()
  return (
    <Facts title={t('log.sheet.charges')}>
      {row.charges.map((charge, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: models of a batch may have a unit at the same price, and a line has its place only
        <Fact key={`${charge.unit} ${index}`} label={nameOf(charge.unit)} value={formatCharge(charge)} />
      ))}
    </Facts>
  )
}

function Course({ row }: RowProps) {
  const t = useT()
  const { isAdmin } = useSession()
  return (
    <Facts title={t('log.sheet.course')}>
      <Fact label={t('log.column.end')} value={row.end_reason === '' ? '' : <EndBadge reason={row.end_reason} />} />
      {isAdmin ? <Fact label={t('log.sheet.attempts')} value={String(row.attempts)} /> : null}
      <Fact label={t('log.sheet.asked')} value={endpointText(row)} />
      <Fact label={t('log.sheet.stream')} value={t(row.is_stream ? 'action.yes' : 'action.no')} />
      <Fact label={t('log.column.firstByte')} value={formatDuration(row.first_byte_time, t)} />
      <Fact label={t('log.column.elapsed')} value={formatDuration(row.elapsed_time, t)} />
    </Facts>
  )
}

/** Whose protocol it is: names that no language changes. */
const protocolNames = { '': '', openai: 'OpenAI', anthropic: 'Anthropic', gemini: 'Gemini' } as const

/** The protocol and kind of a request; empty for rows that have none. */
function endpointText({ protocol, kind }: LogRow): string {
  return protocol === '' ? '' : `${protocolNames[protocol]}: ${kind}`
}

/** Which channels the same request would try now; only administrators see channels. */
function WhyLink({ row }: RowProps) {
  const t = useT()
  const { isAdmin } = useSession()
  if (!isAdmin || row.model_name === '') return null
  return (
    <Link to="/channel/route" search={{ model: row.model_name, username: row.username }} className={buttonClass({ size: 'sm' })}>
      <Waypoints aria-hidden className="size-4 text-muted" />
      {t('log.sheet.why')}
    </Link>
  )
}

/** The attempts of a request, on a line of time where the row has their times. */
function Tried({ row }: { readonly row: LogRow & Pick<AdminLogRow, 'failed_attempts'> }) {
  const spans = attemptSpans(row)
  return spans.length > 0 ? <Attempts spans={spans} row={row} /> : <FailedAttempts attempts={row.failed_attempts} />
}

/** The attempts that failed, each with its channel and error. */
function FailedAttempts({ attempts }: { readonly attempts: AdminLogRow['failed_attempts'] }) {
  const t = useT()
  if (attempts.length === 0) return null
  return (
    <Facts title={t('log.sheet.failed')}>
      {attempts.map((failed) => (
        <Fact
          key={`${failed.channel} ${failed.address}`}
          label={`${failed.name} (${failed.channel})`}
          value={<FailureText failed={failed} />}
        />
      ))}
    </Facts>
  )
}

interface FilterFactProps {
  readonly label: string
  readonly value: string
  readonly onFilter: () => void
  /** The list that has it; `null` = none that this user sees. */
  readonly link?: RowLink | null
}

/** A value with a button that filters the list by it, and a link to what it names. */
function FilterFact({ label, value, onFilter, link = null }: FilterFactProps) {
  const t = useT()
  if (value === '') return null
  return (
    <Fact
      label={label}
      value={
        <span className="flex items-center justify-end gap-1">
          <span className="min-w-0 break-words">{value}</span>
          <IconButton label={t('log.sheet.only', { label, value })} onClick={onFilter} className="-my-1">
            <ListFilter aria-hidden className="size-3.5" />
          </IconButton>
          {link === null ? null : (
            <Link {...link} aria-label={t('log.sheet.open', { label, value })} className={cx(iconButtonClass, '-my-1')}>
              <ArrowUpRight aria-hidden className="size-3.5" />
            </Link>
          )}
        </span>
      }
    />
  )
}
