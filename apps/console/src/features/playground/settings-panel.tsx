import type { ModelRow, TokenRow } from '@sluice/contract'
import { Plus, X } from 'lucide-react'
import { useT } from '../../lib/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FoldedSection } from '../../ui/form.tsx'
import { Input, NumberInput, Textarea } from '../../ui/input.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/toggle.tsx'
import { faultsOf } from './chat-request.ts'
import { type Conversation, isRunning, lanesMax, type Parameters } from './conversation.ts'
import type { RunningConversation } from './use-conversation.ts'

interface SettingsPanelProps {
  readonly conversation: Conversation
  readonly tokens: readonly TokenRow[]
  readonly models: readonly ModelRow[]
  readonly running: Pick<RunningConversation, 'set' | 'removeLane'>
}

/** Who pays, who answers, and how. */
export function SettingsPanel({ conversation, tokens, models, running }: SettingsPanelProps) {
  const t = useT()
  const { parameters } = conversation
  const set = <Name extends keyof Parameters>(name: Name, value: Parameters[Name]) =>
    running.set({ parameters: { ...parameters, [name]: value } })
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
        <Field label={t('playground.system')}>
          {(control) => (
            <Textarea
              {...control}
              rows={3}
              spellCheck
              value={parameters.system}
              placeholder={t('playground.system.placeholder')}
              onChange={({ target }) => set('system', target.value)}
            />
          )}
        </Field>
      </div>
      <Sampling parameters={parameters} set={set} />
      <Format parameters={parameters} set={set} />
      <Tools parameters={parameters} set={set} />
    </section>
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

/** A model that does not answer yet, to compare with; else the first. */
function other(listed: ReadonlyArray<{ readonly value: string }>, chosen: readonly string[]): string {
  return (listed.find(({ value }) => !chosen.includes(value)) ?? listed[0])?.value ?? ''
}

interface ParameterProps {
  readonly parameters: Parameters
  readonly set: <Name extends keyof Parameters>(name: Name, value: Parameters[Name]) => void
}

const efforts = ['', 'minimal', 'low', 'medium', 'high'] as const

function Sampling({ parameters, set }: ParameterProps) {
  const t = useT()
  const faults = faultsOf(parameters)
  const fault = (name: keyof Parameters) => (faults[name] === undefined ? undefined : t(`playground.fault.${faults[name]}`))
  return (
    <FoldedSection title={t('playground.parameters')} note={t('playground.parameters.note')} isOpen={false}>
      <div className="grid grid-cols-2 gap-3">
        <Field label={t('playground.temperature')} error={fault('temperature')}>
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              value={parameters.temperature}
              onChange={({ target }) => set('temperature', target.value)}
            />
          )}
        </Field>
        <Field label={t('playground.topP')} error={fault('topP')}>
          {(control) => (
            <Input {...control} inputMode="decimal" value={parameters.topP} onChange={({ target }) => set('topP', target.value)} />
          )}
        </Field>
      </div>
      <Field label={t('playground.maxTokens')} error={fault('maxTokens')}>
        {(control) => <NumberInput {...control} value={parameters.maxTokens} onChange={({ target }) => set('maxTokens', target.value)} />}
      </Field>
      <Field label={t('playground.effort')}>
        {(control) => (
          <Select
            {...control}
            value={parameters.effort}
            options={efforts.map((value) => ({
              value,
              label: t(value === '' ? 'playground.effort.default' : `playground.effort.${value}`),
            }))}
            onChange={(effort) => set('effort', effort)}
          />
        )}
      </Field>
      <Switch label={t('playground.stream')} isOn={parameters.isStreamed} onChange={(isStreamed) => set('isStreamed', isStreamed)} />
    </FoldedSection>
  )
}

const formats = ['text', 'json_object', 'json_schema'] as const

function Format({ parameters, set }: ParameterProps) {
  const t = useT()
  const { format, schema } = parameters
  const fault = faultsOf(parameters).schema
  return (
    <FoldedSection title={t('playground.format')} note={t(`playground.format.${format}`)} isOpen={fault !== undefined}>
      <Field label={t('playground.format')}>
        {(control) => (
          <Select
            {...control}
            value={format}
            options={formats.map((value) => ({ value, label: t(`playground.format.${value}`) }))}
            onChange={(next) => set('format', next)}
          />
        )}
      </Field>
      {format === 'json_schema' ? (
        <Field
          label={t('playground.schema')}
          hint={t('playground.schema.hint')}
          error={fault === undefined ? undefined : t(`playground.fault.${fault}`)}
        >
          {(control) => <JsonArea {...control} value={schema} onChange={(text) => set('schema', text)} />}
        </Field>
      ) : null}
    </FoldedSection>
  )
}

function Tools({ parameters, set }: ParameterProps) {
  const t = useT()
  const fault = faultsOf(parameters).tools
  return (
    <FoldedSection
      title={t('playground.tools')}
      note={t(parameters.tools.trim() === '' ? 'playground.tools.none' : 'playground.tools.some')}
      isOpen={fault !== undefined}
    >
      <Field
        label={t('playground.tools.label')}
        hint={t('playground.tools.hint')}
        error={fault === undefined ? undefined : t(`playground.fault.${fault}`)}
      >
        {(control) => <JsonArea {...control} value={parameters.tools} onChange={(text) => set('tools', text)} />}
      </Field>
    </FoldedSection>
  )
}
