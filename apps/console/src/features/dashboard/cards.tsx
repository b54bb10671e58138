import { addBands, type LogTimes, type Percentile, percentileOf } from '@sluice/contract'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { abbreviate, exactQuota, formatQuota, group, type Money } from '../../lib/quota.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { usePlaceholder } from '../../lib/use-slow-wait.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { isMoney, marginShareText, metricName, metricText, percentileText, shareText } from './dashboard-words.ts'
import { marginOf, type Totals, totalsOf, type UsagePoint } from './usage-lines.ts'

/** What is known of a time; `undefined` = not loaded yet, `null` = could not be loaded. */
export interface UsageOfTime {
  readonly points: readonly UsagePoint[] | null | undefined
  readonly times: readonly LogTimes[] | null | undefined
}

/** Stands for a value that there is not. */
const none = '–'

interface CardsProps {
  readonly now: UsageOfTime
  readonly before: UsageOfTime
  /** The previous period, in words. */
  readonly since: string
}

/** The totals of the period, each with its change from the previous period. */
export function Cards({ now, before, since }: CardsProps) {
  const t = useT()
  const money = useMoney()
  const { isAdmin } = useSession()
  const [total, totalBefore] = [now, before].map(({ points }) => points && totalsOf(points))
  const share = (of: typeof total) => (of == null || of.requests === 0 ? null : of.failures / of.requests)
  const sum = (name: 'requests' | 'tokens' | 'quota') => ({
    label: metricName(name, isAdmin, t),
    value: total === null ? none : total && metricText(total[name], name, money),
    title: total ? (isMoney(name) ? exactQuota(total[name], money) : group(total[name])) : undefined,
    change: changeOf(total?.[name], totalBefore?.[name]),
  })
  return (
    <ul
      aria-label={t('dashboard.cards')}
      className={cx('mb-4 grid grid-cols-2 gap-3', isAdmin ? 'md:grid-cols-4' : 'md:grid-cols-3 2xl:grid-cols-6')}
    >
      <Card {...sum('requests')} since={since} />
      <Card {...sum('tokens')} detail={total ? tokensText(total, t) : undefined} since={since} />
      <Card {...sum('quota')} since={since} />
      {isAdmin ? <CostCards {...{ total, before: totalBefore, since }} /> : null}
      <Card
        label={t('dashboard.errors')}
        value={total === undefined ? undefined : textOfShare(share(total))}
        title={total ? t('dashboard.errors.count', { count: total.failures }) : undefined}
        change={pointsOf(share(total), share(totalBefore))}
        since={since}
        isBad
      />
      <TimeCard name="elapsed" {...{ now, before, since }} />
      <TimeCard name="first_byte" {...{ now, before, since }} />
    </ul>
  )
}

interface CostCardsProps {
  readonly total: Totals | null | undefined
  readonly before: Totals | null | undefined
  readonly since: string
}

/** What vendors charge and what is left, of the charges whose cost is known. */
function CostCards({ total, before, since }: CostCardsProps) {
  const t = useT()
  const money = useMoney()
  const { cost, margin } =
    total == null || marginOf(total) === null ? unknownCost(total, t) : knownCost(total, before ?? null, { t, money })
  return (
    <>
      <Card label={metricName('cost', true, t)} {...cost} since={since} />
      <Card label={t('dashboard.margin')} {...margin} since={since} />
    </>
  )
}

/** Tokens in and out. */
const tokensText = ({ promptTokens, completionTokens }: Totals, t: Translate): string =>
  t('dashboard.tokens.parts', { input: abbreviate(promptTokens), output: abbreviate(completionTokens) })

type CardContent = Omit<CardProps, 'label' | 'since'>

/** There were no requests, or the cost of none is known. */
function unknownCost(total: Totals | null | undefined, t: Translate): Readonly<Record<'cost' | 'margin', CardContent>> {
  const isUnknown = total != null && total.requests > 0
  const content = isUnknown
    ? { value: t('dashboard.unknown'), title: t('dashboard.cost.unknown.hint'), isMuted: true, change: null }
    : { value: total === undefined ? undefined : none, change: null }
  return { cost: content, margin: content }
}

function knownCost(
  total: Totals,
  before: Totals | null,
  { t, money }: { readonly t: Translate; readonly money: Money },
): Readonly<Record<'cost' | 'margin', CardContent>> {
  const [margin, marginBefore] = [marginOf(total) ?? 0, before && marginOf(before)]
  const isPart = total.costedQuota < total.quota
  const part = isPart ? t('dashboard.margin.part', { share: shareText(total.costedQuota / total.quota) }) : undefined
  return {
    cost: {
      value: formatQuota(total.cost, money),
      title: part ?? exactQuota(total.cost, money),
      change: marginBefore === null ? null : changeOf(total.cost, before?.cost),
    },
    margin: {
      value: formatQuota(margin, money),
      title: part,
      detail: marginShareText(margin, total.costedQuota),
      change: marginBefore !== null && marginBefore > 0 ? changeOf(margin, marginBefore) : null,
    },
  }
}

const textOfShare = (share: number | null) => (share === null ? none : shareText(share))

function TimeCard({ name, now, before, since }: CardsProps & { readonly name: 'elapsed' | 'first_byte' }) {
  const t = useT()
  const bands = now.times && addBands(now.times.map((one) => one[name]))
  const bandsBefore = before.times && addBands(before.times.map((one) => one[name]))
  const at = (of: readonly number[] | null | undefined, share: number) => (of ? percentileOf(of, share) : null)
  const middle = at(bands, 0.5)
  return (
    <Card
      label={t(`dashboard.${name}`)}
      value={bands === null ? none : bands && percentileText(middle, t)}
      title={t('dashboard.percentile.hint')}
      detail={middle === null ? undefined : p95Text(at(bands, 0.95), at(bandsBefore, 0.95), t)}
      change={changeOf(middle?.ms, at(bandsBefore, 0.5)?.ms)}
      since={since}
      isBad
    />
  )
}

/** The 95th percentile, with its change. */
function p95Text(now: Percentile | null, before: Percentile | null, t: Translate): string {
  const text = t('dashboard.p95', { time: percentileText(now, t) })
  const change = changeOf(now?.ms, before?.ms)
  if (change === null || change.direction === 0) return text
  return `${text} (${change.direction > 0 ? '+' : '−'}${change.text})`
}

/** A change as text, and its direction. */
interface Change {
  readonly text: string
  readonly direction: number
}

/** Changes above this are written as a factor. */
const factorFrom = 10

function changeOf(now: number | undefined, before: number | undefined): Change | null {
  if (now === undefined || before === undefined || before === 0) return null
  const change = now / before - 1
  const text = change >= factorFrom ? `×${Math.round(now / before)}` : shareText(Math.abs(change))
  return { text, direction: Math.abs(change) < 0.0005 ? 0 : Math.sign(change) }
}

/** The difference of two shares. */
function pointsOf(now: number | null, before: number | null): Change | null {
  if (now === null || before === null) return null
  const difference = now - before
  return { text: shareText(Math.abs(difference)), direction: Math.abs(difference) < 0.0005 ? 0 : Math.sign(difference) }
}

interface CardProps {
  readonly label: string
  /** `undefined` = not loaded yet. */
  readonly value: string | undefined
  readonly title?: string | undefined
  readonly detail?: string | undefined
  readonly change: Change | null
  readonly since: string
  /** More of it is worse. */
  readonly isBad?: boolean
  /** The value is a word in place of a number. */
  readonly isMuted?: boolean
}

function Card({ label, value, title, detail, change, since, isBad = false, isMuted = false }: CardProps) {
  const isHeld = usePlaceholder(value === undefined)
  return (
    <li className="min-w-0 rounded-md border bg-surface px-4 py-3">
      <p className="truncate text-sm text-muted">{label}</p>
      {isHeld ? (
        // As high as the line of the value.
        <p className="flex items-center text-xl">
          &#8203;
          <Skeleton className="h-5 w-20" />
        </p>
      ) : (
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span title={title} className={cx('text-xl tabular', isMuted ? 'text-muted' : 'font-semibold')}>
            {value}
          </span>
          {detail === undefined ? null : <span className="text-sm break-keep text-muted tabular">{detail}</span>}
        </p>
      )}
      <p className="min-h-4 text-xs text-muted">
        {change === null || value === undefined ? null : <ChangeText {...{ change, since, isBad }} />}
      </p>
    </li>
  )
}

function ChangeText({
  change: { text, direction },
  since,
  isBad,
}: {
  readonly change: Change
  readonly since: string
  readonly isBad: boolean
}) {
  const t = useT()
  if (direction === 0) return t('dashboard.same', { since })
  const Arrow = direction > 0 ? ArrowUp : ArrowDown
  return (
    <span title={t('dashboard.change.hint', { since })} className="flex min-w-0 items-center gap-1 max-sm:flex-wrap">
      <span className={cx('inline-flex shrink-0 items-center font-medium tabular', isBad && (direction > 0 ? 'text-red' : 'text-green'))}>
        <Arrow aria-hidden className="size-3" />
        <span className="sr-only">{t(direction > 0 ? 'dashboard.up' : 'dashboard.down')}</span>
        {text}
      </span>
      <span className="sm:truncate">{since}</span>
    </span>
  )
}
