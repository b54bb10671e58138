import { type DataOf, option, version } from '@sluice/contract'
import { lazy, Suspense, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useOptionDetails } from './use-options.ts'

const SanitizedHtml = lazy(async () => ({ default: (await import('../../ui/sanitized-html.tsx')).SanitizedHtml }))

type Release = DataOf<typeof option.release>

/** Compares the latest release with this version. */
export function UpdateCheck() {
  const t = useT()
  const { hasReleaseFeed } = useOptionDetails()
  const [release, setRelease] = useState<Release | null>(null)
  const [isOpen, setOpen] = useState(false)
  const check = useCall(option.release, {
    onDone: (release) => {
      if (release.tag_name === version) return showToast('success', t('setting.update.current', { version }))
      setRelease(release)
      setOpen(true)
    },
  })
  return (
    <div>
      <h3 className="mb-2 font-semibold">{t('setting.update.title')}</h3>
      <div className="flex flex-wrap items-center gap-3">
        <Button isBusy={check.isPending} disabled={hasReleaseFeed === false} onClick={() => check.mutate({})}>
          {t('setting.update.button')}
        </Button>
        <span className="text-sm text-muted">{t('setting.update.running', { version })}</span>
      </div>
      {hasReleaseFeed === false ? <p className="mt-2 text-sm text-muted">{t('setting.update.noFeed')}</p> : null}
      <Dialog title={t('setting.update.found', { version: release?.tag_name ?? '' })} isOpen={isOpen} onClose={() => setOpen(false)}>
        {release === null || release.body === '' ? (
          <p className="text-muted">{t('setting.update.noNotes')}</p>
        ) : (
          <Suspense>
            <SanitizedHtml html={release.body} className="max-h-[60vh] overflow-y-auto" />
          </Suspense>
        )}
      </Dialog>
    </div>
  )
}
