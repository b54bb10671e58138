import { account, channel, limitsOfRule } from '@sluice/contract'
import { useId } from 'react'
import { useT } from '../../../lib/t.ts'
import { useRead } from '../../../lib/use-call.ts'
import { Field } from '../../../ui/field.tsx'
import { NumberInput } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { SuggestedInput } from '../../../ui/suggested-input.tsx'
import type { PartProps } from './rule-draft.ts'

/** What a new rule is limited to, if its kind can be. */
export function LimitFields({ draft, onChange, errorOf }: PartProps) {
  const t = useT()
  const { kind, limit } = draft
  const limits = limitsOfRule[kind]
  if (limits.length === 0) return null
  const none = t(kind === 'channel' ? 'notify.limit.none.channels' : 'notify.limit.none')
  return (
    <>
      <Field label={t('notify.limit')}>
        {(control) => (
          <Select
            {...control}
            value={limit}
            options={[{ value: 'none' as const, label: none }, ...limits.map((value) => ({ value, label: t(`notify.limit.${value}`) }))]}
            onChange={(next) => onChange({ ...draft, limit: next })}
          />
        )}
      </Field>
      {limit === 'model' ? (
        <ModelField model={draft.model} error={errorOf('model')} onChange={(model) => onChange({ ...draft, model })} />
      ) : null}
      {limit === 'channel' ? (
        <ChannelField
          chosen={draft.channel}
          isOfFailures={kind === 'errors'}
          error={errorOf('channel')}
          onChange={(id) => onChange({ ...draft, channel: id })}
        />
      ) : null}
    </>
  )
}

interface ModelFieldProps {
  readonly model: string
  readonly error: string | undefined
  readonly onChange: (model: string) => void
}

function ModelField({ model, error, onChange }: ModelFieldProps) {
  const t = useT()
  const { data: models = [] } = useRead(account.availableModels, { input: { kind: '' }, freshMs: 60_000, isSilent: true })
  return (
    <div data-field="model">
      <Field label={t('notify.limit.model.name')} error={error}>
        {(control) => (
          <SuggestedInput
            {...control}
            suggestions={models}
            maxLength={256}
            value={model}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
    </div>
  )
}

interface ChannelFieldProps {
  /** A number as typed. */
  readonly chosen: string
  readonly isOfFailures: boolean
  readonly error: string | undefined
  readonly onChange: (id: string) => void
}

/** Channels that are proposed; the number of any other one can be typed. */
const proposedMax = 100

function ChannelField({ chosen, isOfFailures, error, onChange }: ChannelFieldProps) {
  const t = useT()
  const listId = useId()
  const { data: channels = [] } = useRead(channel.list, { input: { size: proposedMax }, freshMs: 60_000, isSilent: true })
  const name = channels.find(({ id }) => String(id) === chosen.trim())?.name
  return (
    <div data-field="channel">
      <Field
        label={t('notify.limit.channel.id')}
        hint={name ?? t(isOfFailures ? 'notify.limit.channel.hint.errors' : 'notify.limit.channel.hint')}
        error={error}
      >
        {(control) => (
          <>
            <NumberInput {...control} list={listId} maxLength={15} value={chosen} onChange={({ target }) => onChange(target.value)} />
            <datalist id={listId}>
              {channels.map((row) => (
                <option key={row.id} value={row.id}>
                  {row.name}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Field>
    </div>
  )
}
