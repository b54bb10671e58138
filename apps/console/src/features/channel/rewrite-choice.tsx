import { type RewriteKind, rewriteKinds } from '@sluice/contract'
import { useId } from 'react'
import { useT } from '../../lib/t.ts'
import { Checkbox } from '../../ui/toggle.tsx'
import { namesIn } from './names-in.ts'

interface RewriteChoiceProps {
  /** The kinds that are switched off, as they are stored. */
  readonly off: string
  readonly onChange: (off: string) => void
  readonly error: string | undefined
}

/** A box for each kind of request rewriting. The kinds that are switched off are stored, so a new kind is on everywhere. */
export function RewriteChoice({ off, onChange, error }: RewriteChoiceProps) {
  const t = useT()
  const id = useId()
  const names = new Set(namesIn(off))
  return (
    <fieldset aria-describedby={`${id}-hint`} className="min-w-0">
      <legend className="font-medium">{t('channel.rewrites')}</legend>
      <p id={`${id}-hint`} className={error === undefined ? 'mb-2 text-sm text-muted' : 'mb-2 text-sm text-red'}>
        {error ?? t('channel.rewrites.hint')}
      </p>
      <ul className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
        {rewriteKinds.map((kind) => (
          <RewriteBox key={kind} kind={kind} isOn={!names.has(kind)} onChange={(isOn) => onChange(switched(names, kind, isOn))} />
        ))}
      </ul>
    </fieldset>
  )
}

/** In the order of the kinds, so that a box that is cleared and checked again changes nothing. */
function switched(off: ReadonlySet<string>, kind: RewriteKind, isOn: boolean): string {
  return rewriteKinds.filter((name) => (name === kind ? !isOn : off.has(name))).join(',')
}

interface RewriteBoxProps {
  readonly kind: RewriteKind
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

function RewriteBox({ kind, isOn, onChange }: RewriteBoxProps) {
  const t = useT()
  const id = useId()
  return (
    <li>
      <label htmlFor={id} className="flex items-start gap-2.5">
        <span className="flex h-5 items-center">
          <Checkbox id={id} label={t(`rewrite.${kind}`)} hintId={`${id}-hint`} isChecked={isOn} onChange={onChange} />
        </span>
        <span className="min-w-0">
          <span className="block">{t(`rewrite.${kind}`)}</span>
          <span id={`${id}-hint`} className="block text-sm text-muted">
            {t(`rewrite.${kind}.hint`)}
          </span>
        </span>
      </label>
    </li>
  )
}
