import { BookOpen } from 'lucide-react'
import { useClientOrigin } from '../../lib/client-origin.ts'
import { gatewayAddress } from '../../lib/gateway-address.ts'
import { useSession } from '../../lib/session.ts'
import { builtInName, useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { useKeptContent } from '../../lib/use-kept-content.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StoredPage } from '../../ui/stored-page.tsx'

/** What an administrator wrote about this installation, or else what it is. */
export function AboutPage() {
  const t = useT()
  const { content, read } = useKeptContent('about')
  if (content !== undefined && !read.isLoadingError) {
    return content === '' ? <Default /> : <StoredPage content={content} title={t('about.title')} hasBar />
  }
  return (
    <Page title={t('about.title')} isNarrow>
      <ReadGate read={read} skeleton={<DefaultBones />}>
        {() => null}
      </ReadGate>
    </Page>
  )
}

/** The shape of what is shown without a text of an administrator. */
function DefaultBones() {
  return (
    <div className="rounded-md border bg-surface">
      <div className="space-y-3 p-5">
        <Skeleton className="h-6 w-4/5" />
        <Skeleton className="h-5 w-3/5" />
        <Skeleton className="h-9.5 w-full touch:h-12.5" />
        <Skeleton className="h-8 w-36 touch:h-11" />
      </div>
      <div className="border-t px-5 py-3">
        <Skeleton className="h-4.5 w-3/4" />
      </div>
    </div>
  )
}

function Default() {
  const t = useT()
  const { system_name } = useStatus()
  const origin = useClientOrigin()
  const { isAdmin } = useSession()
  const name = system_name || builtInName
  return (
    <Page title={t('about.title')} isNarrow>
      <div className="rounded-md border bg-surface">
        <div className="space-y-3 p-5">
          <p className="text-lg">{t('about.what', { name })}</p>
          <p className="text-muted">{t('about.use')}</p>
          <CopyField text={`${origin}/v1`} label={t('about.address.copy')} />
          <p>
            <a href={`${gatewayAddress}/api/docs`} target="_blank" rel="noopener" className={buttonClass({})}>
              <BookOpen aria-hidden className="size-4" />
              {t('about.docs')}
            </a>
          </p>
        </div>
        <p className="border-t px-5 py-3 text-sm text-muted">{t(isAdmin ? 'about.hint.admin' : 'about.hint')}</p>
      </div>
    </Page>
  )
}
