import { type OptionKey, optionRow } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { diffLinesMax } from '../../lib/text-diff.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextDifference } from '../../ui/text-difference.tsx'
import { type Draft, inputValue } from './option-values.ts'
import { type DiffLine, ratioDiff } from './value-diff.ts'

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
  const next = inputValue(optionKey, draft)
  const entries = control === 'ratios' ? ratioDiff(stored, next) : null
  if (entries !== null) return <EntryList entries={entries} />
  return <TextDifference before={stored} after={next} />
}

function EntryList({ entries }: { readonly entries: readonly DiffLine[] }) {
  const t = useT()
  const hidden = entries.length - diffLinesMax
  const valueText = (value: string | null) => value ?? '–'
  return (
    <>
      <table className="w-full text-sm tabular">
        <thead className="sr-only">
          <tr>
            <th>{t('setting.prices.model')}</th>
            <th>{t('diff.before')}</th>
            <th>{t('diff.after')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.slice(0, diffLinesMax).map(({ name, before, after }) => (
            <tr key={name}>
              <td className="py-0.5 pr-3 font-mono text-xs break-all">{name}</td>
              <td className="px-2 text-right whitespace-nowrap text-red">{valueText(before)}</td>
              <td className="pl-2 text-right whitespace-nowrap text-green">{valueText(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 ? <p className="text-sm text-muted">{t('diff.more', { count: hidden })}</p> : null}
    </>
  )
}
