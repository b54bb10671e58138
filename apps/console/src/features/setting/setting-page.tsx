import { accessToken, account, notification, option, optionKeys, passkey, secondFactor, session } from '@sluice/contract'
import type { QueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { type ComponentType, lazy, Suspense } from 'react'
import { type Preload, prefetch, type SearchParams } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { isAdmin, useSession } from '../../lib/session.ts'
import { useT, withTexts } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Page, PageLoading } from '../../ui/page.tsx'
import { deliveryStep } from './notification/delivery-step.ts'
import { isOptionTab, tabOf } from './sections.ts'
import { useKeptDrafts } from './use-kept-drafts.ts'
import { type OptionForm, type TabProps, useOptionForm } from './use-option-form.ts'

type Content = ComponentType<TabProps>

interface TabSpec {
  /** Its value in the address. */
  readonly id: 'personal' | 'security' | 'notification' | 'operations' | 'system' | 'other'
  readonly isForAdmins?: boolean
  readonly load: () => Promise<Content>
  /** Starts the calls for what it shows first. */
  readonly start: (client: QueryClient) => void
}

const startOptions = (client: QueryClient): void => {
  prefetch(client, readOptions(option.list, {}))
  prefetch(client, readOptions(option.details, {}))
}

/** In the specification's order. */
const specs: readonly [TabSpec, ...TabSpec[]] = [
  {
    id: 'personal',
    load: async () =>
      (await withTexts(() => import('./personal/personal-tab.tsx'), 'personal', 'accessTokens', 'identity', 'freshLogin', 'secondStep')())
        .PersonalTab,
    start: (client) => {
      prefetch(client, readOptions(account.self, {}))
      prefetch(client, readOptions(accessToken.list, {}))
    },
  },
  {
    id: 'security',
    load: async () =>
      (await withTexts(() => import('./security/security-tab.tsx'), 'security', 'accessTokens', 'freshLogin', 'secondStep')()).SecurityTab,
    start: (client) => {
      for (const endpoint of [secondFactor.get, passkey.list, session.list, accessToken.list]) prefetch(client, readOptions(endpoint, {}))
    },
  },
  {
    id: 'notification',
    load: async () => (await withTexts(() => import('./notification/notification-tab.tsx'), 'notification')()).NotificationTab,
    start: (client) => {
      prefetch(client, readOptions(notification.list, {}))
      prefetch(client, readOptions(notification.history, { size: deliveryStep }))
    },
  },
  {
    id: 'operations',
    isForAdmins: true,
    load: async () => (await withTexts(() => import('./operations-tab.tsx'), 'setting', 'option', 'optionPage', 'history')()).OperationsTab,
    start: startOptions,
  },
  {
    id: 'system',
    isForAdmins: true,
    load: async () => (await withTexts(() => import('./system-tab.tsx'), 'setting', 'option', 'optionPage', 'history')()).SystemTab,
    start: startOptions,
  },
  {
    id: 'other',
    isForAdmins: true,
    load: async () => (await withTexts(() => import('./other-tab.tsx'), 'setting', 'option', 'optionPage', 'history')()).OtherTab,
    start: startOptions,
  },
]

const withContent = ({ isForAdmins = false, ...spec }: TabSpec) => ({
  ...spec,
  isForAdmins,
  Content: lazy(async () => ({ default: await spec.load() })),
})

const [firstTab, ...otherTabs] = specs
const tabs = [withContent(firstTab), ...otherTabs.map(withContent)] as const

const tabIn = ({ tab }: SearchParams) => tabs.find(({ id }) => id === tab) ?? tabs[0]

export const preload: Preload = (client, search) => {
  const { isForAdmins, load, start } = tabIn(search)
  if (isForAdmins && !isAdmin()) return
  start(client)
  // The page reports that its code could not be loaded.
  load().catch(() => null)
}

const OptionSearch = lazy(async () => ({
  default: (await withTexts(() => import('./option-search.tsx'), 'setting', 'option')()).OptionSearch,
}))

export function SettingPage() {
  const t = useT()
  const { isAdmin } = useSession()
  const form = useOptionForm()
  const kept = useKeptDrafts(form)
  const { id: current, isForAdmins, Content } = tabIn(useSearch({ from: '/guarded/setting' }))
  return (
    <Page
      title={t('setting.title')}
      action={
        isAdmin ? (
          <Suspense fallback={<span className="h-8" />}>
            <OptionSearch />
          </Suspense>
        ) : undefined
      }
    >
      {kept.restoredMs === null || form.drafts.size === 0 ? null : (
        <div className="mb-4">
          <Alert
            kind="info"
            action={
              <Button size="sm" onClick={() => form.discard([...form.drafts.keys()])}>
                {t('form.draft.discard')}
              </Button>
            }
          >
            {t('form.draft', { time: formatTime(kept.restoredMs / 1000) })}
          </Alert>
        </div>
      )}
      <TabBar current={current} form={form} />
      {isForAdmins && !isAdmin ? (
        <div className="rounded-md border bg-surface">
          <EmptyState icon={<Lock />} title={t('list.forbidden')} text={t('list.forbidden.text')} />
        </div>
      ) : (
        <Suspense fallback={<PageLoading what={t('setting.title')} isLate />}>
          <Content form={form} />
        </Suspense>
      )}
      <LeaveGuard isDirty={form.drafts.size > 0} onLeave={kept.forget} keepsTabs />
    </Page>
  )
}

/** On narrow screens the bar scrolls, and the current tab may lie outside of it. */
const reveal = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'center' })

function TabBar({ current, form }: { readonly current: string; readonly form: OptionForm }) {
  const t = useT()
  const { isAdmin } = useSession()
  const unsaved = new Set(optionKeys.filter((key) => form.drafts.has(key)).map(tabOf))
  return (
    <nav aria-label={t('setting.tabs')} className="mb-4 overflow-x-auto border-b thin-scroll">
      <ul className="flex gap-1">
        {tabs
          .filter(({ isForAdmins }) => isAdmin || !isForAdmins)
          .map(({ id }) => (
            <li key={id}>
              <Link
                to="/setting"
                search={{ tab: id }}
                ref={id === current ? reveal : undefined}
                aria-current={id === current ? 'page' : undefined}
                className="inline-flex h-9 items-center gap-2 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-accent touch:h-11"
              >
                {t(`setting.tab.${id}`)}
                {isOptionTab(id) && unsaved.has(id) ? (
                  <>
                    <span aria-hidden className="size-1.5 rounded-full bg-accent" />
                    <span className="sr-only">({t('setting.tab.unsaved')})</span>
                  </>
                ) : null}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  )
}
