import { isPageAddress } from '@sluice/contract/page-address'
import { useDocumentTitle } from './page.tsx'
import { PageFrame } from './page-frame.tsx'
import { StoredHtml } from './stored-html.tsx'

interface StoredPageProps {
  /** HTML, or the address of a page. */
  readonly content: string
  readonly title: string
  readonly hasBar?: boolean
}

/** A whole page that an administrator wrote, or one of another site. */
export function StoredPage({ content, title, hasBar = false }: StoredPageProps) {
  useDocumentTitle(title)
  if (isPageAddress(content)) return <PageFrame src={content.trim()} title={title} hasBar={hasBar} />
  return (
    <article className="mx-auto w-full max-w-[960px]">
      {/* The text has headings of its own; this one names the page. */}
      <h1 tabIndex={-1} className="sr-only">
        {title}
      </h1>
      <StoredHtml html={content} />
    </article>
  )
}
