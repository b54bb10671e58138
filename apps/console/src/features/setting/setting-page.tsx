import { optionKeys } from '@sluice/contract'
import { Link, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from 'react'
import { useSession } from '../../lib/session.ts'
import { useT, withTexts } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Page, PageLoading } from '../../ui/page.tsx'
import { isOptionTab, tabOf } from './sections.ts'
import { useKeptDrafts } from './use-kept-drafts.ts'
import { type OptionForm, type TabProps, useOptionForm } from './use-option-form.ts'

interface Tab {
  /** Its value in the address. */
  readonly id: 'personal' | 'security' | 'notification' | 'operations' | 'system' | 'other'
  readonly isForAdmins: boolean
  readonly Content: LazyExoticComponent<ComponentType<TabProps>>
}

/** In the specification's order. */
const tabs: readonly [Tab, ...Tab[]] = [
  {
    id: 'personal',
    isForAdmins: false,
    Content: lazy(async () => ({
      default: (await withTexts(() => import('./personal/personal-tab.tsx'), 'personal', 'identity', 'freshLogin', 'secondStep')())
        .PersonalTab,
    })),
  },
  {
    id: 'security',
    isForAdmins: false,
    Content: lazy(async () => ({
      default: (await withTexts(() => import('./security/security-tab.tsx'), 'security', 'freshLogin', 'secondStep')()).SecurityTab,
    })),
  },
  {
    id: 'notification',
    isForAdmins: false,
    Content: lazy(async () => ({
      default: (await withTexts(() => import('./notification/notification-tab.tsx'), 'notification')()).NotificationTab,
    })),
  },
  {
    id: 'operations',
    isForAdmins: true,
    Content: lazy(async () => ({
      default: (await withTexts(() => import('./operations-tab.tsx'), 'setting', 'option', 'optionPage', 'history')()).OperationsTab,
    })),
  },
  {
    id: 'system',
    isForAdmins: true,
    Content: lazy(async () => ({
      default: (await withTexts(() => import('./system-tab.tsx'), 'setting', 'option', 'optionPage', 'history')()).SystemTab,
    })),
  },
  {
    id: 'other',
    isForAdmins: true,
    Content: lazy(async () => ({
      default: (await withTexts(() => import('./other-tab.tsx'), 'setting', 'option', 'optionPage', 'history')()).OtherTab,
    })),
  },
]

const OptionSearch = lazy(async () => ({
  default: (await withTexts(() => import('./option-search.tsx'), 'setting', 'option')()).OptionSearch,
}))

export function SettingPage() {
  const t = useT()
  const { isAdmin } = useSession()
  const { tab } = useSearch({ from: '/guarded/setting' })
  const form = useOptionForm()
  const kept = useKeptDrafts(form)
  const { id: current, isForAdmins, Content } = tabs.find(({ id }) => id === tab) ?? tabs[0]
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
