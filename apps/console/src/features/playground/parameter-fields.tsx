import type { ReactNode } from 'react'
import { useT } from '../../lib/t.ts'
import { type ControlProps, Field } from '../../ui/field.tsx'
import { FoldedSection } from '../../ui/form.tsx'
import { Input, NumberInput, Textarea } from '../../ui/input.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/toggle.tsx'
import { faultsOf } from './chat-request.ts'
import type { Parameters } from './conversation.ts'

interface ParameterFieldsProps {
  readonly parameters: Parameters
  readonly onChange: (parameters: Parameters) => void
}

/** What requests say beside their messages: the system prompt, and what is folded because few need it. */
export function ParameterFields({ parameters, onChange }: ParameterFieldsProps) {
  const t = useT()
  const set: ParameterProps['set'] = (name, value) => onChange({ ...parameters, [name]: value })
  return (
    <>
      <div className="mb-4 rounded-md border bg-surface p-4">
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
    </>
  )
}

interface ParameterProps {
  readonly parameters: Parameters
  readonly set: <Name extends keyof Parameters>(name: Name, value: Parameters[Name]) => void
}

const efforts = ['', 'minimal', 'low', 'medium', 'high'] as const

/** The members of the parameters that are numbers. */
type NumberName = 'temperature' | 'topP' | 'maxTokens' | 'frequencyPenalty' | 'presencePenalty' | 'seed'

/** The parameters of this section; empty = the model's own. */
const sampling = ['temperature', 'topP', 'maxTokens', 'frequencyPenalty', 'presencePenalty', 'seed', 'effort', 'stop'] as const

function Sampling({ parameters, set }: ParameterProps) {
  const t = useT()
  const faults = faultsOf(parameters)
  const isSet = sampling.some((name) => parameters[name] !== '')
  const fault = (name: keyof Parameters) => (faults[name] === undefined ? undefined : t(`playground.fault.${faults[name]}`))
  const numberField = (name: NumberName, part: (control: ControlProps) => ReactNode) => (
    <Field label={t(`playground.${name}`)} error={fault(name)}>
      {part}
    </Field>
  )
  const decimal = (name: NumberName) =>
    numberField(name, (control) => (
      <Input {...control} inputMode="decimal" value={parameters[name]} onChange={({ target }) => set(name, target.value)} />
    ))
  const whole = (name: NumberName) =>
    numberField(name, (control) => <NumberInput {...control} value={parameters[name]} onChange={({ target }) => set(name, target.value)} />)
  return (
    <FoldedSection
      title={t('playground.parameters')}
      note={t(isSet ? 'playground.tools.some' : 'playground.parameters.note')}
      isOpen={Object.keys(faults).some((name) => name !== 'tools' && name !== 'schema')}
    >
      <div className="grid grid-cols-2 items-end gap-3">
        {decimal('temperature')}
        {decimal('topP')}
        {decimal('frequencyPenalty')}
        {decimal('presencePenalty')}
      </div>
      {whole('maxTokens')}
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
      <Field label={t('playground.stopAt')} hint={t('playground.stopAt.hint')}>
        {(control) => (
          <Textarea
            {...control}
            rows={1}
            value={parameters.stop}
            onChange={({ target }) => set('stop', target.value)}
            className="min-h-8! field-sizing-content"
          />
        )}
      </Field>
      {whole('seed')}
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

const toolChoices = ['', 'required', 'none'] as const

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
      <Field label={t('playground.toolChoice')}>
        {(control) => (
          <Select
            {...control}
            value={parameters.toolChoice}
            options={toolChoices.map((value) => ({ value, label: t(`playground.toolChoice.${value || 'auto'}`) }))}
            onChange={(choice) => set('toolChoice', choice)}
          />
        )}
      </Field>
    </FoldedSection>
  )
}
