import { notification, type RuleRow, ruleKinds, ruleTargets, scopesOfRule } from '@sluice/contract'
import { type SubmitEvent, useRef, useState } from 'react'
import { explain } from '../../../lib/api.ts'
import { useSession } from '../../../lib/session.ts'
import { useT } from '../../../lib/t.ts'
import { useCall } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { DialogFoot, Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { QuotaInput } from '../../../ui/quota-input.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/toggle.tsx'
import { LimitFields } from './limit-fields.tsx'
import {
  changeOf,
  type DraftFault,
  draftOf,
  faultsOf,
  hasScope,
  hasThreshold,
  type KindWithThreshold,
  limitOf,
  type PartProps,
  type RuleField,
  refusalOf,
  withKind,
} from './rule-draft.ts'

interface RuleFormProps {
  /** `null` = a new one. Of a stored rule, what it watches and where it sends to stay. */
  readonly rule: RuleRow | null
  /** @param secret of a new webhook, or of one whose secret could not be read; else empty */
  readonly onDone: (secret: string) => void
}

export function RuleForm({ rule, onDone }: RuleFormProps) {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState(() => draftOf(rule))
  const [faults, setFaults] = useState<readonly DraftFault[]>([])
  const isNew = rule === null
  const make = useCall(notification.create, { onDone: ({ secret }) => onDone(secret) })
  const save = useCall(notification.update, { onDone: ({ secret }) => onDone(secret) })
  const mutation = isNew ? make : save
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const faults = faultsOf(draft, isNew)
    setFaults(faults)
    const [first] = faults
    if (first !== undefined) return form.current?.querySelector<HTMLElement>(`[data-field="${first}"] input`)?.focus()
    if (rule !== null) return save.mutate({ id: rule.id, ...changeOf(draft) })
    const { kind, scope, target } = draft
    make.mutate({ ...changeOf(draft), ...limitOf(draft), kind, scope, target })
  }
  const refused = refusalOf(mutation.error, draft, isNew)
  const refusal = mutation.error === null || refused !== null ? null : explain(mutation.error)
  const texts: Readonly<Record<DraftFault, string>> = {
    name: t('notify.name.missing'),
    threshold: t(draft.kind === 'errors' ? 'notify.threshold.invalid.errors' : 'notify.threshold.invalid'),
    model: t('notify.limit.model.missing'),
    channel: t('notify.limit.channel.missing'),
    url: t('notify.url.missing'),
  }
  const errorOf = (field: RuleField) => {
    const fault = faults.find((one) => one === field)
    if (fault !== undefined) return texts[fault]
    return refused?.field === field ? refused.text : undefined
  }
  const part: PartProps = { draft, onChange: setDraft, isNew, errorOf }
  return (
    <form ref={form} onSubmit={submit} noValidate className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      <div data-field="name">
        <Field label={t('notify.name')} error={errorOf('name')}>
          {(control) => (
            <Input
              {...control}
              data-first
              maxLength={64}
              value={draft.name}
              onChange={({ target }) => setDraft({ ...draft, name: target.value })}
            />
          )}
        </Field>
      </div>
      <WatchFields {...part} />
      <TargetFields {...part} address={rule?.address ?? ''} />
      <Switch label={t('notify.on')} isOn={draft.is_on} onChange={(is_on) => setDraft({ ...draft, is_on })} />
      <DialogFoot>
        <Button type="submit" look="primary" isBusy={mutation.isPending}>
          {t('action.save')}
        </Button>
      </DialogFoot>
    </form>
  )
}

/** What is watched. */
function WatchFields({ draft, onChange, isNew, errorOf }: PartProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const { kind, scope } = draft
  const mayUse = (one: 'own' | 'all') => isAdmin || one === 'own'
  const kinds = ruleKinds.filter((one) => scopesOfRule[one].some(mayUse))
  return (
    <>
      {isNew ? (
        <Field label={t('notify.kind')} error={errorOf('kind')}>
          {(control) => (
            <Select
              {...control}
              value={kind}
              options={kinds.map((value) => ({ value, label: t(`notify.kind.${value}`) }))}
              onChange={(next) => onChange(withKind(draft, next))}
            />
          )}
        </Field>
      ) : null}
      {isNew && isAdmin && hasScope(kind) ? (
        <Field label={t('notify.scope')} error={errorOf('scope')}>
          {(control) => (
            <Select
              {...control}
              value={scope}
              options={scopesOfRule[kind].map((value) => ({
                value,
                label: value === 'own' ? t('notify.scope.own') : t(`notify.scope.all.${kind}`),
              }))}
              onChange={(next) => onChange({ ...draft, scope: next })}
            />
          )}
        </Field>
      ) : null}
      {isNew ? <LimitFields {...{ draft, onChange, isNew, errorOf }} /> : null}
      {hasThreshold(kind) ? <ThresholdFields {...{ draft, onChange, isNew, errorOf }} kind={kind} /> : null}
    </>
  )
}

/** The times that the share of errors can be measured over. */
const hourChoices = [1, 2, 3, 6, 12, 24] as const

function ThresholdFields({ draft, onChange, errorOf, kind }: PartProps & { readonly kind: KindWithThreshold }) {
  const t = useT()
  const change = (threshold: string) => onChange({ ...draft, threshold })
  const hours = hourChoices.some((choice) => choice === draft.hours) ? hourChoices : [...hourChoices, draft.hours]
  return (
    <>
      <div data-field="threshold">
        <Field
          label={t(`notify.threshold.${kind}`)}
          hint={kind === 'balance' ? undefined : t(`notify.threshold.${kind}.hint`)}
          error={errorOf('threshold')}
        >
          {(control) =>
            kind === 'errors' ? (
              <Input {...control} inputMode="numeric" value={draft.threshold} onChange={({ target }) => change(target.value)} />
            ) : (
              <QuotaInput control={control} value={draft.threshold} onChange={change} />
            )
          }
        </Field>
      </div>
      {kind === 'errors' ? (
        <Field label={t('notify.hours')} error={errorOf('hours')}>
          {(control) => (
            <Select
              {...control}
              value={draft.hours}
              options={hours.map((value) => ({ value, label: t('notify.hours.count', { count: value }) }))}
              onChange={(next) => onChange({ ...draft, hours: next })}
            />
          )}
        </Field>
      ) : null}
    </>
  )
}

/** Where it is sent to. */
function TargetFields({ draft, onChange, isNew, errorOf, address }: PartProps & { readonly address: string }) {
  const t = useT()
  const { isAdmin } = useSession()
  const targets = ruleTargets.filter((target) => isAdmin || target !== 'pusher')
  return (
    <>
      {isNew ? (
        <Field label={t('notify.target')} error={errorOf('target')}>
          {(control) => (
            <Select
              {...control}
              value={draft.target}
              options={targets.map((value) => ({ value, label: t(`notify.target.${value}`) }))}
              onChange={(target) => onChange({ ...draft, target })}
            />
          )}
        </Field>
      ) : null}
      {draft.target === 'webhook' ? (
        <div data-field="url">
          <Field label={t('notify.url')} hint={isNew ? t('notify.url.hint') : t('notify.url.keep', { address })} error={errorOf('url')}>
            {(control) => (
              <Input
                {...control}
                type="url"
                placeholder="https://"
                maxLength={2_048}
                value={draft.url}
                onChange={({ target }) => onChange({ ...draft, url: target.value })}
              />
            )}
          </Field>
        </div>
      ) : null}
    </>
  )
}
