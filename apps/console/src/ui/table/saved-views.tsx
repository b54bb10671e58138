import { Bookmark } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { useViews } from '../../lib/use-views.ts'
import { Button } from '../button.tsx'
import { Menu, MenuItem, MenuSeparator, MenuText } from '../menu.tsx'

const ViewsDialog = lazy(async () => ({ default: (await import('./views-dialog.tsx')).ViewsDialog }))

/** The saved views of a list: each is one press away. */
export function SavedViews({ list }: { readonly list: string }) {
  const t = useT()
  const views = useViews(list)
  const [dialog, setDialog] = useState<'open' | 'closed' | null>(null)
  const { saved } = views
  const isShown = (search: unknown) => JSON.stringify(search) === JSON.stringify(views.current)
  return (
    <>
      <Menu
        trigger={
          <Button size="sm" disabled={saved === null}>
            <Bookmark aria-hidden className="size-4 text-muted" />
            <span className="max-sm:sr-only">{t('views.title')}</span>
          </Button>
        }
      >
        {saved === null || saved.views.length === 0 ? <MenuText>{t('views.none')}</MenuText> : null}
        {saved?.views.map(({ name, search }) => (
          <MenuItem key={name} onClick={() => views.apply(search)}>
            <bdi className={isShown(search) ? 'font-semibold' : undefined}>{name}</bdi>
            {saved.start === name ? <span className="ml-auto pl-3 text-xs text-muted">{t('views.start')}</span> : null}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem onClick={() => setDialog('open')}>{t('views.change')}</MenuItem>
      </Menu>
      {dialog === null || saved === null ? null : (
        <Suspense fallback={null}>
          <ViewsDialog views={views} saved={saved} isOpen={dialog === 'open'} onClose={() => setDialog('closed')} />
        </Suspense>
      )}
    </>
  )
}
