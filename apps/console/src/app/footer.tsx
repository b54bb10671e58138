import { version } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { builtInName, useStatus } from '../lib/status.ts'
import { useT } from '../lib/t.ts'

// The sanitiser is loaded only if a custom footer is configured.
const SanitizedHtml = lazy(async () => ({ default: (await import('../ui/sanitized-html.tsx')).SanitizedHtml }))

export function Footer() {
  const t = useT()
  const { footer_html } = useStatus()
  return (
    <footer className="px-4 pt-6 pb-4 text-center text-xs text-muted md:px-6">
      {footer_html ? (
        <Suspense>
          <SanitizedHtml html={footer_html} className="[&_a]:text-accent [&_a]:underline" />
        </Suspense>
      ) : (
        <p>
          {t('footer.credit', { name: builtInName, version })} · {t('footer.license')}
        </p>
      )}
    </footer>
  )
}
