import { ChevronLeft, ChevronRight } from 'lucide-react'
import { pageLinks } from '../lib/list-rows.ts'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'

interface PaginationProps {
  readonly page: number
  readonly count: number
  readonly onChange: (page: number) => void
}

const linkClass =
  'inline-flex h-7 min-w-7 items-center justify-center rounded-sm px-1.5 text-sm tabular transition-colors hover:bg-hover disabled:text-faint disabled:opacity-50 touch:h-11 touch:min-w-11'

export function Pagination({ page, count, onChange }: PaginationProps) {
  const t = useT()
  if (count <= 1) return null
  return (
    <nav aria-label={t('pages.label')}>
      <ul className="flex flex-wrap items-center gap-0.5">
        <li>
          <button
            type="button"
            aria-label={t('pages.previous')}
            disabled={page <= 1}
            onClick={() => onChange(page - 1)}
            className={linkClass}
          >
            <ChevronLeft aria-hidden className="size-4" />
          </button>
        </li>
        {pageLinks(page, count).map((link, index, links) =>
          link === null ? (
            <li key={`after ${links[index - 1]}`} aria-hidden className="px-1 text-muted">
              …
            </li>
          ) : (
            <li key={link}>
              <button
                type="button"
                aria-label={t('pages.page', { page: link })}
                aria-current={link === page ? 'page' : undefined}
                onClick={() => onChange(link)}
                className={cx(linkClass, link === page ? 'bg-accent-tint font-semibold text-accent' : 'text-muted')}
              >
                {link}
              </button>
            </li>
          ),
        )}
        <li>
          <button
            type="button"
            aria-label={t('pages.next')}
            disabled={page >= count}
            onClick={() => onChange(page + 1)}
            className={linkClass}
          >
            <ChevronRight aria-hidden className="size-4" />
          </button>
        </li>
      </ul>
    </nav>
  )
}
