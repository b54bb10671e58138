import { TriangleAlert } from 'lucide-react'
import { useT } from '../lib/t.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { useDocumentTitle } from '../ui/page.tsx'

/** Replaces a page that could not be shown: its code did not load, or it threw. */
export function Crash({ error }: { readonly error: unknown }) {
  const t = useT()
  const isChunk = error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message)
  const title = t(isChunk ? 'crash.chunk' : 'crash.error')
  useDocumentTitle(title)
  return (
    <div role="alert" className="flex flex-col items-center px-4 py-20 text-center">
      <TriangleAlert aria-hidden className="mb-3 size-8 text-yellow" />
      <h1 tabIndex={-1} className="text-xl font-semibold">
        {title}
      </h1>
      <p className="mt-1 max-w-md text-muted">{t(isChunk ? 'crash.chunk.text' : 'crash.error.text')}</p>
      {error instanceof Error && !isChunk ? (
        <pre className="mt-3 max-w-full overflow-x-auto rounded-sm bg-sunken px-3 py-2 text-left font-mono text-xs">{error.message}</pre>
      ) : null}
      <div className="mt-5 flex gap-2">
        <Button look="primary" onClick={() => location.reload()}>
          {t('action.reload')}
        </Button>
        <ButtonLink to="/">{t('missing.home')}</ButtonLink>
      </div>
    </div>
  )
}
