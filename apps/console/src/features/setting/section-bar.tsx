import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { Button } from '../../ui/button.tsx'
import { ChangesDialog, type OptionChange } from './changes-dialog.tsx'

interface SectionBarProps {
  /** The name of the section. */
  readonly title: string
  readonly changes: readonly OptionChange[]
  readonly isSaving: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}

/** The end of a section: its save button, and what has not been saved. It stays in sight while there are changes. */
export function SectionBar({ title, changes, isSaving, onSave, onDiscard }: SectionBarProps) {
  const t = useT()
  const [isOpen, setOpen] = useState(false)
  const count = changes.length
  return (
    <div
      className={cx(
        'flex min-h-13 flex-wrap items-center justify-end gap-2 rounded-b-md border-t px-4 py-2.5',
        count > 0 ? 'sticky bottom-0 z-10 bg-accent-tint' : 'bg-surface',
      )}
    >
      <span role="status" className={cx('mr-auto text-sm', count > 0 ? 'font-medium text-text max-sm:w-full' : 'text-muted')}>
        {count === 0 ? t('setting.unchanged') : t('setting.changes', { count })}
      </span>
      {count === 0 ? null : (
        <>
          <Button size="sm" look="quiet" onClick={() => setOpen(true)}>
            {t('setting.review')}
          </Button>
          <Button size="sm" disabled={isSaving} onClick={onDiscard}>
            {t('setting.discard')}
          </Button>
        </>
      )}
      <Button
        type="submit"
        size="sm"
        look="primary"
        disabled={count === 0}
        isBusy={isSaving}
        title={t('setting.save.of', { section: title })}
      >
        {t(isSaving ? 'action.saving' : 'action.save')}
      </Button>
      <ChangesDialog
        title={t('setting.review.title', { section: title })}
        changes={changes}
        isOpen={isOpen && count > 0}
        onClose={() => setOpen(false)}
        onSave={() => {
          setOpen(false)
          onSave()
        }}
      />
    </div>
  )
}
