import { Star, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { showToast } from '../../lib/toasts.ts'
import type { ViewsOfList } from '../../lib/use-views.ts'
import { type SavedViews, viewNameMax, withName, withoutView, withStart, withView } from '../../lib/views.ts'
import { Button, IconButton } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Field } from '../field.tsx'
import { Input } from '../input.tsx'

interface ViewsDialogProps {
  readonly views: ViewsOfList
  readonly saved: SavedViews
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Saves what the address shows, and renames, deletes and chooses what was saved. */
export function ViewsDialog({ views, saved, isOpen, onClose }: ViewsDialogProps) {
  const t = useT()
  return (
    <Dialog title={t('views.title')} isOpen={isOpen} onClose={onClose}>
      <NewView views={views} saved={saved} />
      {saved.views.length === 0 ? null : (
        <ul aria-label={t('views.title')} className="mt-4 divide-y border-t">
          {saved.views.map(({ name }) => (
            <ViewRow key={name} name={name} saved={saved} save={views.save} />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

function NewView({ views, saved }: Pick<ViewsDialogProps, 'views' | 'saved'>) {
  const t = useT()
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const trimmed = name.trim()
    setMissing(trimmed === '')
    if (trimmed === '') return event.currentTarget.querySelector('input')?.focus()
    views.save(withView(saved, { name: trimmed, search: views.current }))
    showToast('success', t('views.saved', { name: trimmed }))
    setName('')
  }
  return (
    <form onSubmit={save} noValidate>
      <Field label={t('views.new')} hint={t('views.hint')} error={isMissing ? t('views.name.missing') : undefined}>
        {(control) => (
          <div className="flex gap-2">
            <Input {...control} value={name} maxLength={viewNameMax} onChange={({ target }) => setName(target.value)} data-first />
            <Button type="submit" look="primary">
              {t('action.save')}
            </Button>
          </div>
        )}
      </Field>
    </form>
  )
}

interface ViewRowProps {
  readonly name: string
  readonly saved: SavedViews
  readonly save: (views: SavedViews) => void
}

function ViewRow({ name, saved, save }: ViewRowProps) {
  const t = useT()
  const [text, setText] = useState(name)
  const [isTaken, setTaken] = useState(false)
  const isStart = saved.start === name
  const rename = () => {
    const trimmed = text.trim()
    const renamed = trimmed === '' ? saved : withName(saved, name, trimmed)
    setTaken(renamed === null)
    if (renamed === null) return
    if (trimmed === '') setText(name)
    save(renamed)
  }
  return (
    <li className="py-1.5">
      <div className="flex items-center gap-1">
        <Input
          aria-label={t('views.rename', { name })}
          aria-invalid={isTaken || undefined}
          value={text}
          maxLength={viewNameMax}
          onChange={({ target }) => setText(target.value)}
          onBlur={rename}
          onKeyDown={(event) => (event.key === 'Enter' && !event.nativeEvent.isComposing ? rename() : undefined)}
        />
        <IconButton
          label={t(isStart ? 'views.start.not' : 'views.start.of', { name })}
          aria-pressed={isStart}
          onClick={() => save(withStart(saved, name))}
        >
          <Star aria-hidden className={cx('size-4', isStart && 'fill-current text-accent')} />
        </IconButton>
        <IconButton label={t('views.delete', { name })} onClick={() => save(withoutView(saved, name))}>
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      </div>
      {isTaken ? (
        <p role="alert" className="mt-1 text-sm text-red">
          {t('views.taken')}
        </p>
      ) : null}
    </li>
  )
}
