import { Compass } from 'lucide-react'
import { useT } from '../lib/t.ts'
import { ButtonLink } from '../ui/button.tsx'
import { useDocumentTitle } from '../ui/page.tsx'

export function Missing() {
  const t = useT()
  useDocumentTitle(t('missing.title'))
  return (
    <div className="flex flex-col items-center px-4 py-20 text-center">
      <Compass aria-hidden className="mb-3 size-8 text-muted" />
      <h1 tabIndex={-1} className="text-xl font-semibold">
        {t('missing.title')}
      </h1>
      <p className="mt-1 mb-5 text-muted">{t('missing.text')}</p>
      <ButtonLink to="/" look="primary">
        {t('missing.home')}
      </ButtonLink>
    </div>
  )
}
