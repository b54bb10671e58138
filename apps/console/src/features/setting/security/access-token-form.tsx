import { accessToken, type SeparateScope } from '@sluice/contract'
import { type SubmitEvent, useId, useRef, useState } from 'react'
import { separateTexts, useNounName } from '../../../crud/scope-texts.ts'
import { explain } from '../../../lib/api.ts'
import { refusedField } from '../../../lib/refused-field.ts'
import { useT } from '../../../lib/t.ts'
import { useCall } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { DialogFoot, Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/toggle.tsx'
import { chosenScopes, nounsOf, type ScopeChoice, separateOf, type WholeChoice } from './scopes.ts'

interface AccessTokenFormProps {
  /** The scopes that are of use to the account. */
  readonly scopes: readonly string[]
  readonly onCreated: (token: string) => void
}

/** Days until the expiry; 0 = never. */
const expiries = [7, 30, 90, 365, 0] as const
const daySeconds = 86_400

export function AccessTokenForm({ scopes, onCreated }: AccessTokenFormProps) {
  const t = useT()
  const name = useRef<HTMLInputElement>(null)
  const [missing, setMissing] = useState<'name' | 'scopes' | null>(null)
  const [days, setDays] = useState<number>(90)
  const [whole, setWhole] = useState<WholeChoice>('chosen')
  const [nouns, setNouns] = useState<ReadonlyMap<string, ScopeChoice>>(new Map())
  const [separate, setSeparate] = useState<ReadonlySet<SeparateScope>>(new Set())
  const make = useCall(accessToken.create, { onDone: ({ token }) => onCreated(token) })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = name.current?.value.trim() ?? ''
    const scopeList = chosenScopes({ whole, nouns, separate })
    setMissing(typed === '' ? 'name' : scopeList.length === 0 ? 'scopes' : null)
    if (typed === '') return name.current?.focus()
    if (scopeList.length === 0) return
    make.mutate({ name: typed, scopes: [...scopeList], expired_time: days === 0 ? -1 : Math.floor(Date.now() / 1000) + days * daySeconds })
  }
  const refused = refusedField(make.error, ['name', 'expired_time', 'scopes'])
  const refusal = make.error === null || refused !== null ? null : explain(make.error)
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      <Field
        label={t('security.name')}
        hint={t('security.tokens.name.hint')}
        error={missing === 'name' ? t('security.name.missing') : refused?.name === 'name' ? refused.text : undefined}
      >
        {(control) => <Input {...control} ref={name} data-first maxLength={64} />}
      </Field>
      <Field label={t('security.tokens.expiry')} error={refused?.name === 'expired_time' ? refused.text : undefined}>
        {(control) => (
          <Select
            {...control}
            value={days}
            options={expiries.map((value) => ({
              value,
              label: value === 0 ? t('security.tokens.expiry.never') : t('security.tokens.expiry.days', { count: value }),
            }))}
            onChange={setDays}
          />
        )}
      </Field>
      <Field
        label={t('security.tokens.scope')}
        hint={t('security.tokens.scope.hint')}
        error={missing === 'scopes' ? t('security.tokens.scope.missing') : refused?.name === 'scopes' ? refused.text : undefined}
      >
        {(control) => (
          <Select
            {...control}
            value={whole}
            options={(['chosen', 'read', 'all'] as const).map((value) => ({ value, label: t(`scope.whole.${value}`) }))}
            onChange={setWhole}
          />
        )}
      </Field>
      {whole === 'chosen' ? (
        <Nouns nouns={nounsOf(scopes)} chosen={nouns} onChange={(noun, choice) => setNouns(new Map([...nouns, [noun, choice]]))} />
      ) : null}
      <Separate scopes={separateOf(scopes)} chosen={separate} onChange={setSeparate} />
      <DialogFoot>
        <Button type="submit" look="primary" isBusy={make.isPending}>
          {t('security.tokens.submit')}
        </Button>
      </DialogFoot>
    </form>
  )
}

interface NounsProps {
  readonly nouns: ReadonlyMap<string, readonly ScopeChoice[]>
  readonly chosen: ReadonlyMap<string, ScopeChoice>
  readonly onChange: (noun: string, choice: ScopeChoice) => void
}

/** One choice for each noun. */
function Nouns({ nouns, chosen, onChange }: NounsProps) {
  const t = useT()
  const nounName = useNounName()
  const id = useId()
  return (
    <fieldset className="divide-y rounded-sm border px-3">
      <legend className="sr-only">{t('security.tokens.scope')}</legend>
      {[...nouns].map(([noun, choices]) => (
        <div key={noun} className="flex items-center justify-between gap-3 py-1.5">
          <label htmlFor={`${id}-${noun}`}>{nounName(noun)}</label>
          <div className="grid w-40 shrink-0">
            <Select
              id={`${id}-${noun}`}
              size="sm"
              value={chosen.get(noun) ?? 'none'}
              options={choices.map((value) => ({ value, label: t(`scope.choice.${value}`) }))}
              onChange={(choice) => onChange(noun, choice)}
            />
          </div>
        </div>
      ))}
    </fieldset>
  )
}

interface SeparateProps {
  readonly scopes: readonly SeparateScope[]
  readonly chosen: ReadonlySet<SeparateScope>
  readonly onChange: (chosen: ReadonlySet<SeparateScope>) => void
}

/** Scopes that no other choice includes, each with what it leads to. */
function Separate({ scopes, chosen, onChange }: SeparateProps) {
  const t = useT()
  if (scopes.length === 0) return null
  return (
    <fieldset className="space-y-3">
      <legend className="mb-2 font-medium">
        {t('scope.separate')} <span className="block text-sm font-normal text-muted">{t('scope.separate.hint')}</span>
      </legend>
      {scopes.map((scope) => (
        <Switch
          key={scope}
          label={t(separateTexts[scope].label)}
          hint={t(separateTexts[scope].hint)}
          isOn={chosen.has(scope)}
          onChange={(isOn) => onChange(new Set([...[...chosen].filter((one) => one !== scope), ...(isOn ? [scope] : [])]))}
        />
      ))}
    </fieldset>
  )
}
