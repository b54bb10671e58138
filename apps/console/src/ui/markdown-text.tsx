import { lazy, Suspense } from 'react'

// The reader of Markdown is loaded with the first text.
const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))

/** A text of a model, written in Markdown. Until its reader is loaded it is shown as it is. */
export function MarkdownText({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>}>
      <Markdown text={text} />
    </Suspense>
  )
}
