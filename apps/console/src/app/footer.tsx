import { version } from '@sluice/contract'
import { builtInName, useStatus } from '../lib/status.ts'
import { useT } from '../lib/t.ts'
import { StoredHtml } from '../ui/stored-html.tsx'

export function Footer() {
  const t = useT()
  const { footer_html } = useStatus()
  return (
    // Hidden while a page loads: a footer that is pushed down by the page counts as a shift of the layout.
    <footer className="px-4 pt-6 pb-4 text-center text-xs text-muted md:px-(--page-x) in-[:has(>main_[data-page-loading])]:invisible">
      {footer_html ? (
        <StoredHtml html={footer_html} />
      ) : (
        <p>
          {t('footer.credit', { name: builtInName, version })} · {t('footer.license')}
        </p>
      )}
    </footer>
  )
}
