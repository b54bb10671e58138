import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useSession } from '../lib/session.ts'
import { builtInName, useStatus, useStatusLoading } from '../lib/status.ts'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import type { PagePath } from './page-path.ts'
import { Spinner } from './skeleton.tsx'

interface PageProps {
  readonly title: string
  /** The list that the page belongs to, as a link above the title. */
  readonly parent?: Parent
  readonly lead?: ReactNode
  /** `null` = none now, because the content has it. */
  readonly action?: ReactNode
  /** Other users find no action on it. */
  readonly isForAdmins?: boolean
  /** For forms; tables use the whole width. */
  readonly isNarrow?: boolean
  readonly children: ReactNode
}

interface Parent {
  readonly to: PagePath
  readonly label: string
}

/** One page: the document's title, its only heading (which gets the focus after a change of page), its content. */
export function Page({ title, parent, lead, action, isForAdmins = false, isNarrow = false, children }: PageProps) {
  const { isAdmin } = useSession()
  useDocumentTitle(title)
  return (
    <div className={cx('w-full', isNarrow && 'max-w-[720px]')}>
      {/* On phones the buttons stand beside the title, and the lead has a line of its own. */}
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2 max-sm:items-center">
        <div className="min-w-0 max-sm:contents sm:flex-1 sm:basis-60">
          {parent === undefined ? null : <Breadcrumbs parent={parent} title={title} />}
          <h1 tabIndex={-1} className="min-w-0 text-xl font-semibold break-words">
            {title}
          </h1>
          {lead === undefined ? null : (
            <p className="mt-0.5 wrap-anywhere text-muted max-sm:order-last max-sm:mt-0 max-sm:w-full">{lead}</p>
          )}
        </div>
        {action == null || (isForAdmins && !isAdmin) ? null : <div className="flex flex-wrap gap-2">{action}</div>}
      </div>
      {children}
    </div>
  )
}

function Breadcrumbs({ parent, title }: { readonly parent: Parent; readonly title: string }) {
  const t = useT()
  return (
    <nav aria-label={t('crumbs.label')} className="mb-1 text-sm max-sm:mb-0 max-sm:w-full">
      <ol className="flex flex-wrap items-center gap-1 text-muted">
        <li>
          <Link to={parent.to} className="inline-flex min-h-6 items-center rounded-sm hover:text-text hover:underline">
            {parent.label}
          </Link>
        </li>
        <li aria-hidden>
          <ChevronRight className="size-3.5" />
        </li>
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  )
}

export function useDocumentTitle(title: string): void {
  useStatusLoading()
  const { system_name } = useStatus()
  const name = system_name || builtInName
  useEffect(() => {
    document.title = `${title} · ${name}`
  }, [title, name])
}

interface PageLoadingProps {
  readonly what?: string
  /** It becomes visible a moment later, because nothing has waited before. */
  readonly isLate?: boolean
}

/** Shown while a page's code is loaded. */
export function PageLoading({ what, isLate = false }: PageLoadingProps) {
  const t = useT()
  return <Spinner label={t('loading.page', { what: what ?? t('loading.what') })} isLate={isLate} />
}
