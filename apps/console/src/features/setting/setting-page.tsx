import { Link, useSearch } from '@tanstack/react-router'
import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from 'react'
import { useSession } from '../../lib/session.ts'
import { type MessageKey, useT, withTexts } from '../../lib/t.ts'
import { Page, PageLoading } from '../../ui/page.tsx'

interface Tab {
  /** Its value in the address. */
  readonly id: string
  readonly label: MessageKey
  readonly isForAdmins: boolean
  readonly Content: LazyExoticComponent<ComponentType>
}

/** In the specification's order. */
const tabs: readonly [Tab, ...Tab[]] = [
  {
    id: 'personal',
    label: 'setting.tab.personal',
    isForAdmins: false,
    Content: lazy(async () => ({
      default: (await withTexts(() => import('./personal/personal-tab.tsx'), 'personal', 'identity')()).PersonalTab,
    })),
  },
]

export function SettingPage() {
  const t = useT()
  const { isAdmin } = useSession()
  const { tab } = useSearch({ from: '/guarded/setting' })
  const shown = tabs.filter(({ isForAdmins }) => isAdmin || !isForAdmins)
  const { id: current, Content } = shown.find(({ id }) => id === tab) ?? tabs[0]
  return (
    <Page title={t('setting.title')}>
      <nav aria-label={t('setting.tabs')} className="mb-4 overflow-x-auto border-b thin-scroll">
        <ul className="flex gap-1">
          {shown.map(({ id, label }) => (
            <li key={id}>
              <Link
                to="/setting"
                search={{ tab: id }}
                aria-current={id === current ? 'page' : undefined}
                className="inline-flex h-9 items-center border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-accent touch:h-11"
              >
                {t(label)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Suspense fallback={<PageLoading what={t('setting.title')} />}>
        <Content />
      </Suspense>
    </Page>
  )
}
