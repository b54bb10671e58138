import { type OptionKey, optionRow } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type Draft, sentValue } from './option-values.ts'
import { type DiffLine, diffLinesMax, ratioDiff, textDiff } from './value-diff.ts'

export interface OptionChange {
  readonly optionKey: OptionKey
  readonly stored: string
  readonly draft: Draft
}

interface ChangesDialogProps {
  readonly title: string
  readonly changes: readonly OptionChange[]
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSave: () => void
}

/** What a save would change, before and after. */
export function ChangesDialog({ title, changes, isOpen, onClose, onSave }: ChangesDialogProps) {
  const t = useT()
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <ul className="divide-y">
        {changes.map((change) => (
          <li key={change.optionKey} className="py-3 first:pt-0">
            <p className="mb-1 font-medium">{t(`option.${change.optionKey}`)}</p>
            <Difference {...change} />
          </li>
        ))}
      </ul>
      <div className="mt-4 flex flex-row-reverse justify-start gap-2">
        <Button look="primary" onClick={onSave} data-first>
          {t('action.save')}
        </Button>
        <Button onClick={onClose}>{t('action.cancel')}</Button>
      </div>
    </Dialog>
  )
}

function Difference({ optionKey, stored, draft }: OptionChange) {
  const t = useT()
  const { secret, control } = optionRow(optionKey)
  if (secret) return <p className="text-sm text-muted">{t(draft === null ? 'setting.secret.removed' : 'setting.secret.replaced')}</p>
  const sent = sentValue(optionKey, draft)
  const entries = control === 'ratios' ? ratioDiff(stored, sent) : null
  if (entries !== null) return <EntryList entries={entries} />
  const { before, after } = textDiff(stored, sent)
  return (
    <div className="space-y-1">
      <Side label={t('setting.before')} lines={before} look="bg-red-tint text-red" />
      <Side label={t('setting.after')} lines={after} look="bg-green-tint text-green" />
    </div>
  )
}

interface SideProps {
  /** Tells the sides apart besides their colours; a sign would be taken for one of a number. */
  readonly label: string
  readonly lines: readonly string[]
  readonly look: string
}

function Side({ label, lines, look }: SideProps) {
  const t = useT()
  const hidden = lines.length - diffLinesMax
  return (
    <div className={`flex gap-3 rounded-sm px-2 py-1 text-sm ${look}`}>
      <span className="w-14 shrink-0 text-xs">{label}: </span>
      <div className="min-w-0">
        <pre className="font-mono text-xs break-all whitespace-pre-wrap">
          {lines.slice(0, diffLinesMax).join('\n').trim() || t('setting.empty')}
        </pre>
        {hidden > 0 ? <p>{t('setting.more', { count: hidden })}</p> : null}
      </div>
    </div>
  )
}

function EntryList({ entries }: { readonly entries: readonly DiffLine[] }) {
  const t = useT()
  const hidden = entries.length - diffLinesMax
  const shown = (value: string | null) => value ?? '–'
  return (
    <>
      <table className="w-full text-sm tabular">
        <thead className="sr-only">
          <tr>
            <th>{t('setting.prices.model')}</th>
            <th>{t('setting.before')}</th>
            <th>{t('setting.after')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.slice(0, diffLinesMax).map(({ name, before, after }) => (
            <tr key={name}>
              <td className="py-0.5 pr-3 font-mono text-xs break-all">{name}</td>
              <td className="px-2 text-right whitespace-nowrap text-red">{shown(before)}</td>
              <td className="pl-2 text-right whitespace-nowrap text-green">{shown(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 ? <p className="text-sm text-muted">{t('setting.more', { count: hidden })}</p> : null}
    </>
  )
}
