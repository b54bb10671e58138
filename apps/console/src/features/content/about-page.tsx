import { BookOpen } from 'lucide-react'
import { useClientOrigin } from '../../lib/client-origin.ts'
import { gatewayAddress } from '../../lib/gateway-address.ts'
import type { Preload } from '../../lib/preload.ts'
import { useSession } from '../../lib/session.ts'
import { builtInName, useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { startContent, useKeptContent } from '../../lib/use-kept-content.ts'
import { usePlaceholder } from '../../lib/use-slow-wait.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { StoredPage } from '../../ui/stored-page.tsx'

export const preload: Preload = (client) => startContent(client, 'about')

/** What an administrator wrote about this installation, or else what it is. */
export function AboutPage() {
  const t = useT()
  const { content, read } = useKeptContent('about')
  const isHeld = usePlaceholder(content === undefined && read.isPending)
  if (!isHeld && content !== undefined && !read.isLoadingError) {
    return content === '' ? <Default /> : <StoredPage content={content} title={t('about.title')} hasBar />
  }
  return (
    <Page title={t('about.title')} isNarrow>
      <ReadGate read={read} skeleton={<Installation isWaiting />}>
        {() => null}
      </ReadGate>
    </Page>
  )
}

function Default() {
  const t = useT()
  return (
    <Page title={t('about.title')} isNarrow>
      <Installation />
    </Page>
  )
}

/** Grey in place of what stands on it. */
const veil = 'animate-late-pulse rounded-sm bg-grey-tint'

/** What is shown without a text of an administrator. While it is not known whether there is one, a placeholder of the same size. */
function Installation({ isWaiting = false }: { readonly isWaiting?: boolean }) {
  const t = useT()
  const { system_name } = useStatus()
  const origin = useClientOrigin()
  const { isAdmin } = useSession()
  const name = system_name || builtInName
  const words = cx(isWaiting && `${veil} box-decoration-clone text-transparent select-none`)
  const part = cx(isWaiting && `${veil} *:invisible`)
  return (
    <div inert={isWaiting} aria-hidden={isWaiting || undefined} className="rounded-md border bg-surface">
      <div className="space-y-3 p-5">
        <p className="text-lg">
          <span className={words}>{t('about.what', { name })}</span>
        </p>
        <p className="text-muted">
          <span className={words}>{t('about.use')}</span>
        </p>
        <div className={part}>
          <CopyField text={`${origin}/v1`} label={t('about.address.copy')} />
        </div>
        <p className={cx('w-fit max-w-full', part)}>
          <a href={`${gatewayAddress}/api/docs`} target="_blank" rel="noopener" className={buttonClass({})}>
            <BookOpen aria-hidden className="size-4" />
            {t('about.docs')}
          </a>
        </p>
      </div>
      <p className="border-t px-5 py-3 text-sm text-muted">
        <span className={words}>{t(isAdmin ? 'about.hint.admin' : 'about.hint')}</span>
      </p>
    </div>
  )
}
