import { isMailDomain, type OptionDetail, type OptionKey, optionRow } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { isMessageKey, useT } from '../../lib/t.ts'
import { splitNames } from '../../lib/text.ts'
import { ChipsInput } from '../../ui/chips-input.tsx'
import type { ControlProps } from '../../ui/field.tsx'
import { Input, PasswordInput, Textarea } from '../../ui/input.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { Select } from '../../ui/select.tsx'
import type { Draft } from './option-values.ts'

const ContentPreview = lazy(async () => ({ default: (await import('./content-preview.tsx')).ContentPreview }))

export interface OptionControlProps {
  readonly optionKey: OptionKey
  readonly control: ControlProps
  /** The typed value, or else the stored one. `null` = a secret that is to be removed. */
  readonly value: Draft
  readonly detail: OptionDetail | undefined
  readonly onChange: (value: Draft) => void
}

/** The field of an option, by its kind. Switches are made elsewhere, because they have no draft. */
export function OptionControl(props: OptionControlProps) {
  const { optionKey, control, value, onChange } = props
  const row = optionRow(optionKey)
  const text = value ?? ''
  switch (row.control) {
    case 'secret':
      return <SecretControl {...props} />
    case 'number':
      return <NumberControl {...props} />
    case 'choice':
      return <ChoiceControl {...props} />
    case 'domains':
      return (
        <ChipsInput
          control={control}
          values={splitNames(text)}
          isValid={isMailDomain}
          placeholder="example.com"
          onChange={(domains) => onChange(domains.join(','))}
        />
      )
    case 'names':
      return (
        <ChipsInput
          control={control}
          values={splitNames(text)}
          isValid={(name) => row.parse(name) !== null}
          placeholder={row.placeholder ?? ''}
          onChange={(names) => onChange(names.join(','))}
        />
      )
    case 'ratios':
    case 'rules':
      return <JsonArea {...control} value={text} onChange={onChange} />
    case 'markdown':
    case 'page':
    case 'html':
      return (
        <>
          <Textarea {...control} value={text} rows={6} onChange={({ target }) => onChange(target.value)} className="font-mono text-sm" />
          <Suspense>
            <ContentPreview kind={row.control} text={text} />
          </Suspense>
        </>
      )
    default:
      return <Input {...control} value={text} placeholder={row.placeholder} onChange={({ target }) => onChange(target.value)} />
  }
}

/** Arrow keys change the number; the mouse wheel does not. */
function NumberControl({ optionKey, control, value, onChange }: OptionControlProps) {
  const t = useT()
  const { unit, step, placeholder } = optionRow(optionKey)
  const word = `setting.unit.${unit ?? ''}`
  return (
    <div className="flex items-center gap-2">
      <Input
        {...control}
        type="number"
        inputMode="decimal"
        min={0}
        step={step ?? 'any'}
        value={value ?? ''}
        placeholder={placeholder}
        onChange={({ target }) => onChange(target.value)}
        onWheel={({ currentTarget }) => currentTarget.blur()}
        className="max-w-56 [appearance:textfield] tabular [&::-webkit-inner-spin-button]:appearance-none"
      />
      {unit !== 'quota' && unit !== 'quotaPerDollar' && isMessageKey(word) ? <span className="text-muted">{t(word)}</span> : null}
    </div>
  )
}

function ChoiceControl({ optionKey, control, value, onChange }: OptionControlProps) {
  const t = useT()
  const labelOf = (choice: string): string => {
    const key = `choice.${optionKey}.${choice}`
    return isMessageKey(key) ? t(key) : choice
  }
  const choices = optionRow(optionKey).choices ?? []
  return (
    <div className="max-w-72">
      <Select
        {...control}
        value={value ?? ''}
        options={choices.map((choice) => ({ value: choice, label: labelOf(choice) }))}
        onChange={onChange}
      />
    </div>
  )
}

/** The stored value is never shown. Typed text replaces it, and only the button removes it. */
function SecretControl({ control, value, detail, onChange }: OptionControlProps) {
  const t = useT()
  const isSet = detail?.is_set === true
  const isRemoved = value === null
  return (
    <div>
      <PasswordInput
        {...control}
        value={value ?? ''}
        disabled={isRemoved}
        autoComplete="new-password"
        placeholder={t(isSet ? 'setting.secret.isSet' : 'setting.secret.notSet')}
        onChange={({ target }) => onChange(target.value)}
      />
      {isSet ? (
        <div className="mt-1 flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
          <span role="status" className="text-yellow">
            {isRemoved ? t('setting.secret.removed') : detail.is_kept_back ? t('setting.secret.keptBack') : ''}
          </span>
          <button
            type="button"
            onClick={() => onChange(isRemoved ? '' : null)}
            className="min-h-6 rounded-sm text-accent hover:underline touch:min-h-11"
          >
            {t(isRemoved ? 'setting.secret.keep' : 'setting.secret.remove')}
          </button>
        </div>
      ) : null}
    </div>
  )
}
