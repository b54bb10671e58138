import { lazy, Suspense } from 'react'

// The sanitiser is loaded only if there is a text of an administrator.
const SanitizedHtml = lazy(async () => ({ default: (await import('./sanitized-html.tsx')).SanitizedHtml }))

/** HTML that an administrator stored, as the server sends it. */
export function StoredHtml({ html, className }: { readonly html: string; readonly className?: string }) {
  return (
    <Suspense>
      <SanitizedHtml html={html} className={className} />
    </Suspense>
  )
}
