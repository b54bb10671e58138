import { account, type CreatableTaskKind, creatableTaskKinds, type TaskFields, type TokenRow } from '@sluice/contract'
import type { QueryClient } from '@tanstack/react-query'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { prefetch } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Field, FieldGroup } from '../../ui/field.tsx'
import { FoldedSection, FormSection } from '../../ui/form.tsx'
import { Input, Textarea } from '../../ui/input.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { SuggestedInput } from '../../ui/suggested-input.tsx'
import { ParameterFields } from './parameter-fields.tsx'
import { hasField } from './parameter-text.ts'
import { ShapeFields } from './shape-fields.tsx'
import { SourceFields } from './source-fields.tsx'
import type { Change, TaskFormValues } from './task-form-values.ts'
import { usualSongModel } from './use-model-fields.ts'

interface CreateFieldsProps {
  readonly tokens: readonly TokenRow[]
  readonly files: readonly File[]
  readonly setFiles: (files: readonly File[]) => void
  /** What the model takes; `null` = not known. */
  readonly fields: TaskFields | null
  /** `null` = something new is made. */
  readonly change: Change | null
}

/** What is made, by which model, from which words and image. */
export function CreateFields({ tokens, files, setFiles, fields, change }: CreateFieldsProps) {
  const t = useT()
  const { control: form, register, formState } = useFormContext<TaskFormValues>()
  const { errors } = formState
  const kind = useWatch({ control: form, name: 'kind' })
  return (
    <>
      <FormSection>
        {change === null ? <KindField /> : null}
        <Field label={t('task.prompt')} isRequired hint={t(`task.add.prompt.${change?.action ?? kind}`)} error={errors.prompt?.message}>
          {(control) => <Textarea {...control} {...register('prompt')} rows={5} spellCheck />}
        </Field>
        {change === null ? <ModelField kind={kind} /> : null}
        {kind === 'songs' ? (
          fields?.makes_words === true ? null : (
            <SongFields />
          )
        ) : (
          <ShapeFields isVideo={kind === 'videos'} fields={fields} />
        )}
      </FormSection>
      <SourceFields kind={kind} files={files} setFiles={setFiles} fields={fields} />
      <ParameterFields fields={fields} />
      <FormSection>
        <Field label={t('task.add.token')} isRequired hint={t('task.add.token.hint')} error={errors.token?.message}>
          {(control) => (
            <Controller
              name="token"
              control={form}
              render={({ field }) => (
                <Select
                  {...control}
                  ref={field.ref}
                  value={field.value}
                  options={tokens.map(({ id, name }) => ({ value: String(id), label: name || `#${id}` }))}
                  onChange={field.onChange}
                />
              )}
            />
          )}
        </Field>
      </FormSection>
      <ParametersSection fields={fields} />
    </>
  )
}

function KindField() {
  const t = useT()
  const { control: form, setFocus } = useFormContext<TaskFormValues>()
  return (
    <FieldGroup label={t('task.add.kind')}>
      <Controller
        name="kind"
        control={form}
        render={({ field }) => (
          <Segments
            label={t('task.add.kind')}
            value={field.value}
            options={creatableTaskKinds.map((value) => ({ value, label: t(`task.kind.${value}`) }))}
            onChange={(chosen) => {
              field.onChange(chosen)
              setFocus('prompt')
            }}
          />
        )}
      />
    </FieldGroup>
  )
}

const none: readonly string[] = []

/** How long the models of the account are not fetched again. */
const modelsFreshMs = 60_000

export const startModels = (client: QueryClient, kind: CreatableTaskKind): void =>
  prefetch(client, readOptions(account.availableModels, { kind }, { freshMs: modelsFreshMs }))

/** A model, with those as suggestions that the account may use and that make this kind. */
function ModelField({ kind }: { readonly kind: CreatableTaskKind }) {
  const t = useT()
  const { register, formState } = useFormContext<TaskFormValues>()
  const { data: models = none } = useRead(account.availableModels, { input: { kind }, freshMs: modelsFreshMs, isSilent: true })
  const isSong = kind === 'songs'
  return (
    <Field label={t('task.model')} isRequired={!isSong} hint={t('task.add.model.hint')} error={formState.errors.model?.message}>
      {(control) => <SuggestedInput {...control} {...register('model')} suggestions={models} placeholder={isSong ? usualSongModel : ''} />}
    </Field>
  )
}

function SongFields() {
  const t = useT()
  const { register, formState } = useFormContext<TaskFormValues>()
  const { errors } = formState
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('task.add.songTitle')} hint={t('task.add.songTitle.hint')} error={errors.title?.message}>
        {(control) => <Input {...control} {...register('title')} />}
      </Field>
      <Field label={t('task.add.style')} hint={t('task.add.style.hint')} error={errors.tags?.message}>
        {(control) => <Input {...control} {...register('tags')} />}
      </Field>
    </div>
  )
}

interface ParametersProps {
  readonly fields: TaskFields | null
}

/** What has no field of its own. */
function ParametersSection({ fields }: ParametersProps) {
  const t = useT()
  const { control: form, formState, getValues } = useFormContext<TaskFormValues>()
  const error = formState.errors.parameters?.message
  const others = fields?.parameters.filter((parameter) => !hasField(parameter)).map(({ name }) => name) ?? []
  return (
    <FoldedSection title={t('task.add.more')} note={t('task.add.more.note')} isOpen={error !== undefined || getValues('parameters') !== ''}>
      <Field
        label={t('task.add.parameters')}
        hint={others.length === 0 ? t('task.add.parameters.hint') : t('task.add.parameters.also', { names: others.join(', ') })}
        error={error}
      >
        {(control) => (
          <Controller
            name="parameters"
            control={form}
            render={({ field }) => (
              <JsonArea {...control} ref={field.ref} value={field.value} onChange={field.onChange} onBlur={field.onBlur} />
            )}
          />
        )}
      </Field>
    </FoldedSection>
  )
}
