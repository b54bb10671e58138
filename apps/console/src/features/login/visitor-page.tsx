import type { ReactNode } from 'react'
import { withBasePath } from '../../lib/base-path.ts'
import { useStatus } from '../../lib/status.ts'
import { useDocumentTitle } from '../../ui/page.tsx'

interface VisitorPageProps {
  readonly title: string
  /** Names the page in the document's title, if that is another than the heading. */
  readonly name?: string
  readonly lead?: ReactNode
  /** Below the card: the way to the other pages. */
  readonly below?: ReactNode
  readonly children: ReactNode
}

/** A page of visitors: one card with the logo. */
export function VisitorPage({ title, name = title, lead, below, children }: VisitorPageProps) {
  const { logo } = useStatus()
  useDocumentTitle(name)
  return (
    <div className="mx-auto w-full max-w-[360px] flex-1 pt-[min(8vh,64px)]">
      <div className="rounded-md border bg-surface p-6">
        <img src={logo || withBasePath('/logo.png')} alt="" width={40} height={40} className="mb-4 size-10 rounded-md object-contain" />
        <h1 tabIndex={-1} className="text-xl font-semibold break-words">
          {title}
        </h1>
        {lead === undefined ? null : <p className="mt-1 break-words text-muted">{lead}</p>}
        <div className="mt-5">{children}</div>
      </div>
      {below === undefined ? null : <p className="mt-4 text-center text-muted">{below}</p>}
    </div>
  )
}
