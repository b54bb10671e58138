import { account } from '@sluice/contract'
import { ExternalLink } from 'lucide-react'
import { type Preload, prefetch } from '../../lib/preload.ts'
import { exactQuota, formatQuota } from '../../lib/quota.ts'
import { randomId } from '../../lib/random-id.ts'
import { readOptions } from '../../lib/reads.ts'
import { type Runway, runwayDaysMax, startRunway, useRunway } from '../../lib/runway.ts'
import { useMoney, useStatus } from '../../lib/status.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { showToast } from '../../lib/toasts.ts'
import { useRead } from '../../lib/use-call.ts'
import { usePlaceholder } from '../../lib/use-slow-wait.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { History, startHistory } from './history.tsx'
import { shopAddress } from './redeem-codes.ts'
import { RedeemForm } from './redeem-form.tsx'

export const preload: Preload = (client) => {
  prefetch(client, readOptions(account.self, {}))
  startRunway(client)
  startHistory(client)
}

/** Where users add quota to their balance. */
export function TopUpPage() {
  const t = useT()
  return (
    <div className="mx-auto w-full max-w-[960px]">
      <Page title={t('topup.title')} lead={t('topup.lead')}>
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
          <div className="grid gap-4 max-lg:contents lg:order-last">
            <Balance />
            <Shop />
          </div>
          <div className="grid min-w-0 gap-4 max-lg:contents">
            <RedeemForm />
            <History />
          </div>
        </div>
      </Page>
    </div>
  )
}

/** Characters of a large amount that fit on the narrowest card. */
const largeFits = 14

function Balance() {
  const t = useT()
  const money = useMoney()
  const { data: self } = useRead(account.self, { input: {}, isPreloaded: true })
  const isHeld = usePlaceholder(self === undefined)
  const runway = useRunway()
  const amount = self === undefined ? '' : formatQuota(self.quota, money)
  return (
    <section aria-label={t('topup.balance')} className="rounded-md border bg-surface p-4">
      <h2 className="text-sm text-muted">{t('topup.balance')}</h2>
      {isHeld || self === undefined ? (
        <Skeleton className="mt-1 h-9 w-32" />
      ) : (
        <p
          title={exactQuota(self.quota, money)}
          className={cx(amount.length > largeFits ? 'text-xl leading-9' : 'text-2xl', 'font-semibold wrap-anywhere tabular')}
        >
          {amount}
        </p>
      )}
      {/* The height of a line, so that nothing moves when the sum arrives. */}
      <p className="mt-1 min-h-5 text-sm text-muted">{runway === undefined ? null : runwayText(runway, t)}</p>
      {runway?.isLow === true && self !== undefined ? (
        <div className="mt-3">
          <Alert kind="warning">{t(self.quota <= 0 ? 'topup.empty' : 'topup.low')}</Alert>
        </div>
      ) : null}
    </section>
  )
}

function runwayText({ days }: Runway, t: Translate): string {
  if (days === null) return t('runway.unused')
  if (days > runwayDaysMax) return t('runway.long')
  return days < 1 ? t('runway.short') : t('runway.days', { count: days })
}

/** Opens the page where codes are sold. */
function Shop() {
  const t = useT()
  const { top_up_link } = useStatus()
  const { data: self } = useRead(account.self, { input: {}, isPreloaded: true })
  const buy = () => {
    if (!top_up_link) return showToast('error', t('topup.noLink'))
    if (self !== undefined) open(shopAddress(top_up_link, self, randomId()), '_blank', 'noopener,noreferrer')
  }
  return (
    <section aria-label={t('topup.shop')} className="rounded-md max-lg:order-1 border bg-surface p-4">
      <h2 className="font-semibold">{t('topup.shop')}</h2>
      <p className="mt-0.5 mb-3 text-sm text-muted">{t('topup.shop.text')}</p>
      <Button onClick={buy}>
        {t('topup.buy')}
        <ExternalLink aria-hidden className="size-3.5" />
      </Button>
    </section>
  )
}
