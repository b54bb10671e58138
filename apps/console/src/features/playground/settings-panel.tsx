import type { ModelRow, TokenRow } from '@sluice/contract'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/toggle.tsx'
import { type Conversation, isRunning, lanesMax, type Parameters } from './conversation.ts'
import { ParameterFields } from './parameter-fields.tsx'
import type { RunningConversation } from './use-conversation.ts'

interface SettingsPanelProps {
  readonly conversation: Conversation
  readonly tokens: readonly TokenRow[]
  readonly models: readonly ModelRow[]
  readonly running: Pick<RunningConversation, 'set' | 'removeLane'>
}

/** Who pays, who responds, and how: all models alike, or one of them by settings of its own. */
export function SettingsPanel({ conversation, tokens, models, running }: SettingsPanelProps) {
  const t = useT()
  const [chosen, setChosen] = useState<number | null>(null)
  const { models: names, parameters, own } = conversation
  // A lane that is removed takes its settings with it.
  const lane = names.length > 1 && chosen !== null && chosen < names.length ? chosen : null
  const active = lane === null ? parameters : (own[lane] ?? null)
  const setOwn = (at: number, next: Parameters | null) =>
    running.set({ own: names.map((_, index) => (index === at ? next : (own[index] ?? null))) })
  const set = (next: Parameters) => (lane === null ? running.set({ parameters: next }) : setOwn(lane, next))
  return (
    <section aria-label={t('playground.settings')}>
      <div className="mb-4 space-y-4 rounded-md border bg-surface p-4">
        <ModelFields {...{ conversation, tokens, models, running }} />
        <Field label={t('playground.token')}>
          {(control) => (
            <Select
              {...control}
              value={conversation.tokenId}
              options={tokens.map(({ id, name }) => ({ value: id, label: name || `#${id}` }))}
              onChange={(tokenId) => running.set({ tokenId })}
            />
          )}
        </Field>
      </div>
      {names.length === 1 ? null : (
        <div className="mb-4 space-y-3 rounded-md border bg-surface p-4">
          <Lanes conversation={conversation} lane={lane} onChange={setChosen} />
          {lane === null ? null : (
            <Switch
              label={t('playground.own')}
              hint={t('playground.own.hint', { name: names[lane] ?? '' })}
              isOn={active !== null}
              onChange={(isOn) => setOwn(lane, isOn ? parameters : null)}
            />
          )}
        </div>
      )}
      {active === null ? null : <ParameterFields key={lane ?? 'all'} parameters={active} onChange={set} />}
    </section>
  )
}

interface LanesProps {
  readonly conversation: Conversation
  /** `null` = all. */
  readonly lane: number | null
  readonly onChange: (lane: number | null) => void
}

/** Whose settings are shown. */
function Lanes({ conversation: { models, own }, lane, onChange }: LanesProps) {
  const t = useT()
  const options = models.map((_, index) => ({
    value: String(index),
    label: t(own[index] == null ? 'playground.own.model' : 'playground.own.model.set', { number: index + 1 }),
  }))
  return (
    <div>
      <p aria-hidden className="mb-1 font-medium">
        {t('playground.own.of')}
      </p>
      <Segments
        label={t('playground.own.of')}
        value={lane === null ? 'all' : String(lane)}
        options={[{ value: 'all', label: t('playground.own.all') }, ...options]}
        onChange={(value) => onChange(value === 'all' ? null : Number(value))}
      />
    </div>
  )
}

/** The models that a token may use; those for chats come first. */
function modelOptions(models: readonly ModelRow[], token: TokenRow | undefined) {
  const allowed = new Set((token?.models ?? '').split(',').filter((name) => name !== ''))
  const isAllowed = ({ name }: ModelRow) => allowed.size === 0 || allowed.has(name)
  const chats = models.filter((row) => isAllowed(row) && row.kinds.some((kind) => kind === 'chat' || kind === 'responses'))
  return chats.map(({ name }) => ({ value: name, label: name }))
}

function ModelFields({ conversation, tokens, models, running }: SettingsPanelProps) {
  const t = useT()
  const { models: chosen, tokenId } = conversation
  const listed = modelOptions(
    models,
    tokens.find(({ id }) => id === tokenId),
  )
  const isBusy = isRunning(conversation)
  return (
    <div className="space-y-2">
      {chosen.map((name, lane) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its place
        <Field key={lane} label={chosen.length === 1 ? t('playground.model') : t('playground.model.number', { number: lane + 1 })}>
          {(control) => (
            <div className="flex items-center gap-1">
              <div className="min-w-0 flex-1">
                <SearchSelect
                  control={control}
                  label={t('playground.model')}
                  value={name}
                  options={name === '' || listed.some(({ value }) => value === name) ? listed : [{ value: name, label: name }, ...listed]}
                  onChange={(next) => running.set({ models: chosen.with(lane, next) })}
                />
              </div>
              {chosen.length === 1 ? null : (
                <IconButton label={t('playground.model.remove', { name })} disabled={isBusy} onClick={() => running.removeLane(lane)}>
                  <X aria-hidden className="size-4" />
                </IconButton>
              )}
            </div>
          )}
        </Field>
      ))}
      {chosen.length < lanesMax && listed.length > 0 ? (
        <Button size="sm" disabled={isBusy} onClick={() => running.set({ models: [...chosen, other(listed, chosen)] })}>
          <Plus aria-hidden className="size-4 text-muted" />
          {t('playground.model.compare')}
        </Button>
      ) : null}
    </div>
  )
}

/** A model that is not chosen yet, to compare with; else the first. */
function other(listed: ReadonlyArray<{ readonly value: string }>, chosen: readonly string[]): string {
  return (listed.find(({ value }) => !chosen.includes(value)) ?? listed[0])?.value ?? ''
}
