import { account } from '@sluice/contract'
import { type ReactNode, useState } from 'react'
import { useClientOrigin } from '../../lib/client-origin.ts'
import { type Preload, prefetch } from '../../lib/preload.ts'
import { abbreviate, exactQuota, formatQuota } from '../../lib/quota.ts'
import { readOptions } from '../../lib/reads.ts'
import { startRunway, useRunway } from '../../lib/runway.ts'
import { hasStoredUser, useSession } from '../../lib/session.ts'
import { useMoney, useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { formatTime } from '../../lib/time.ts'
import { useRead } from '../../lib/use-call.ts'
import { startContent, useKeptContent } from '../../lib/use-kept-content.ts'
import { useSlowWait } from '../../lib/use-slow-wait.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { CopyButton, CopyField } from '../../ui/copy-field.tsx'
import { Page, PageLoading } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { StoredPage } from '../../ui/stored-page.tsx'
import { type SampleId, samples } from './samples.ts'

/** How long the models of the account are not fetched again. */
const modelsFreshMs = 60_000

export const preload: Preload = (client) => {
  startContent(client, 'home')
  if (!hasStoredUser()) return
  startRunway(client)
  prefetch(client, readOptions(account.availableModels, {}, { freshMs: modelsFreshMs }))
}

/** What an administrator stored for this page, or else how to start. */
export function HomePage() {
  const t = useT()
  const { content: kept, read } = useKeptContent('home')
  // A reader can start without it.
  const content = kept ?? (read.isError ? '' : undefined)
  const isSlow = useSlowWait(content === undefined)
  if (isSlow) return <PageLoading />
  if (content === undefined) return null
  return content === '' ? <Start /> : <StoredPage content={content} title={t('nav.home')} />
}

/** The steps from a fresh installation to the first response. */
function Start() {
  const t = useT()
  const { isSignedIn } = useSession()
  const origin = useClientOrigin()
  return (
    <div className="mx-auto w-full max-w-[960px]">
      <Page title={t('home.title')} lead={<span className="block max-w-2xl">{t('home.lead')}</span>}>
        <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_280px]">
          <ol className="min-w-0 rounded-md border bg-surface">
            <Step number={1} title={t('home.step.token')} text={t('home.step.token.text')}>
              <ButtonLink to={isSignedIn ? '/token/add' : '/login'} look="primary">
                {t(isSignedIn ? 'home.step.token.go' : 'home.step.token.login')}
              </ButtonLink>
            </Step>
            <Step number={2} title={t('home.step.address')} text={t('home.step.address.text')}>
              <CopyField text={`${origin}/v1`} label={t('home.step.address.copy')} />
            </Step>
            <Step number={3} title={t('home.step.run')} text={t('home.step.run.text')}>
              <Sample origin={origin} />
            </Step>
          </ol>
          <Facts />
        </div>
      </Page>
    </div>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly text: string
  readonly children: ReactNode
}

function Step({ number, title, text, children }: StepProps) {
  return (
    <li className="flex gap-4 border-b p-4 last:border-b-0 md:p-5">
      <span aria-hidden className="w-6 shrink-0 text-right text-xl font-semibold text-accent tabular">
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="mt-0.5 mb-3 text-muted">{text}</p>
        {children}
      </div>
    </li>
  )
}

function Sample({ origin }: { readonly origin: string }) {
  const t = useT()
  const [id, setId] = useState<SampleId>('curl')
  const code = samples.find((sample) => sample.id === id)?.code(origin) ?? ''
  return (
    <div className="rounded-sm border bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b p-1.5">
        <Segments
          label={t('home.sample')}
          value={id}
          options={samples.map((sample) => ({ value: sample.id, label: sample.label }))}
          onChange={setId}
        />
        <CopyButton text={code} label={t('home.sample.copy')} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it */}
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-sm thin-scroll">
        {code}
      </pre>
    </div>
  )
}

function Facts() {
  const t = useT()
  const status = useStatus()
  const money = useMoney()
  const { isSignedIn } = useSession()
  const { data: self } = useRead(account.self, { input: {}, isEnabled: isSignedIn, freshMs: 60_000 })
  const runway = useRunway()
  const { data: models } = useRead(account.availableModels, { input: {}, isEnabled: isSignedIn, freshMs: modelsFreshMs })
  return (
    <section aria-label={t('home.card')} className="self-start rounded-md border bg-surface">
      <h2 className="border-b px-4 py-2.5 font-semibold">{t('home.card')}</h2>
      <dl className="divide-y px-4">
        {self === undefined ? null : (
          <>
            <Fact label={t('home.card.balance')} value={formatQuota(self.quota, money)} title={exactQuota(self.quota, money)} isLarge />
            <Fact label={t('home.card.used')} value={formatQuota(self.used_quota, money)} title={exactQuota(self.used_quota, money)} />
            {runway === undefined ? null : (
              <Fact label={t('home.card.week')} value={formatQuota(runway.used, money)} title={exactQuota(runway.used, money)} />
            )}
            <Fact label={t('home.card.requests')} value={abbreviate(self.request_count)} />
          </>
        )}
        {models === undefined ? null : <Fact label={t('home.card.models')} value={String(models.length)} />}
        {status.version === undefined ? null : <Fact label={t('home.card.version')} value={status.version} />}
        {status.start_time === undefined ? null : <Fact label={t('home.card.uptime')} value={formatTime(status.start_time)} />}
      </dl>
    </section>
  )
}

interface FactProps {
  readonly label: string
  readonly value: string
  readonly title?: string
  readonly isLarge?: boolean
}

/** Characters of a large value that fit on the narrowest card. */
const largeFits = 11

function Fact({ label, value, title, isLarge = false }: FactProps) {
  const size = value.length > largeFits ? 'text-lg' : 'text-2xl'
  return (
    <div className={isLarge ? 'py-3' : 'flex items-baseline justify-between gap-3 py-2'}>
      <dt className="text-sm text-muted">{label}</dt>
      <dd title={title} className={cx('tabular', isLarge ? `${size} font-semibold wrap-anywhere` : 'text-right text-sm font-medium')}>
        {value}
      </dd>
    </div>
  )
}
