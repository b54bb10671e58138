import { account, type OrderKind, orderKinds, type TokenRow } from '@sluice/contract'
import { Upload, X } from 'lucide-react'
import { useId, useRef } from 'react'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DataText } from '../../ui/data-text.tsx'
import { Field, FieldGroup } from '../../ui/field.tsx'
import { FoldedSection, FormSection } from '../../ui/form.tsx'
import { Input, NumberInput, Textarea } from '../../ui/input.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import type { OrderValues } from './task-order.ts'

interface OrderFieldsProps {
  readonly tokens: readonly TokenRow[]
  readonly file: File | null
  readonly setFile: (file: File | null) => void
}

/** What is made, by which model, from which words and picture. */
export function OrderFields({ tokens, file, setFile }: OrderFieldsProps) {
  const t = useT()
  const { control: form, register, formState, setFocus } = useFormContext<OrderValues>()
  const { errors } = formState
  const kind = useWatch({ control: form, name: 'kind' })
  return (
    <>
      <FormSection>
        <FieldGroup label={t('task.add.kind')}>
          <Controller
            name="kind"
            control={form}
            render={({ field }) => (
              <Segments
                label={t('task.add.kind')}
                value={field.value}
                options={orderKinds.map((value) => ({ value, label: t(`task.kind.${value}`) }))}
                onChange={(chosen) => {
                  field.onChange(chosen)
                  setFocus('prompt')
                }}
              />
            )}
          />
        </FieldGroup>
        <Field label={t('task.prompt')} isRequired hint={t(`task.add.prompt.${kind}`)} error={errors.prompt?.message}>
          {(control) => <Textarea {...control} {...register('prompt')} rows={5} spellCheck />}
        </Field>
        <ModelField kind={kind} />
        {kind === 'songs' ? <SongFields /> : <ShapeFields isVideo={kind === 'videos'} />}
      </FormSection>
      {kind === 'songs' ? null : (
        <FormSection>
          <PictureField file={file} setFile={setFile} />
        </FormSection>
      )}
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
      <ParametersSection />
    </>
  )
}

/** What the gateway takes for songs whose order names no model. */
const usualSongModel = 'suno_music'

const none: readonly string[] = []

/** A model, with those as suggestions that the account may use and that make this kind. */
function ModelField({ kind }: { readonly kind: OrderKind }) {
  const t = useT()
  const { register, formState } = useFormContext<OrderValues>()
  const { data: models = none } = useRead(account.availableModels, { input: { kind }, freshMs: 60_000, isSilent: true })
  const isSong = kind === 'songs'
  const listId = useId()
  return (
    <Field label={t('task.model')} isRequired={!isSong} hint={t('task.add.model.hint')} error={formState.errors.model?.message}>
      {(control) => (
        <>
          <Input {...control} {...register('model')} list={listId} placeholder={isSong ? usualSongModel : ''} />
          <datalist id={listId}>
            {models.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

const sizes = ['1280x720', '720x1280', '1792x1024', '1024x1792', '1024x1024', '1920x1080'] as const

function ShapeFields({ isVideo }: { readonly isVideo: boolean }) {
  const t = useT()
  const { register, formState } = useFormContext<OrderValues>()
  const { errors } = formState
  const listId = useId()
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {isVideo ? (
        <Field label={t('task.add.seconds')} hint={t('task.add.seconds.hint')} error={errors.seconds?.message}>
          {(control) => <NumberInput {...control} {...register('seconds')} />}
        </Field>
      ) : null}
      <Field label={t('task.size')} hint={t('task.add.size.hint')} error={errors.size?.message}>
        {(control) => (
          <>
            <Input {...control} {...register('size')} list={listId} />
            <datalist id={listId}>
              {sizes.map((size) => (
                <option key={size} value={size} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </div>
  )
}

function SongFields() {
  const t = useT()
  const { register, formState } = useFormContext<OrderValues>()
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

/** An address, or a file in its place. */
function PictureField({ file, setFile }: Pick<OrderFieldsProps, 'file' | 'setFile'>) {
  const t = useT()
  const { register, formState } = useFormContext<OrderValues>()
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <Field label={t('task.add.picture')} hint={t('task.add.picture.hint')} error={formState.errors.input_reference?.message}>
      {(control) => (
        <div className="flex flex-wrap items-center gap-2">
          {file === null ? (
            <div className="min-w-48 flex-1">
              <Input {...control} {...register('input_reference')} inputMode="url" placeholder="https://" />
            </div>
          ) : (
            <span className="flex min-w-48 flex-1 items-center justify-between gap-2 rounded-sm border bg-sunken py-0.5 pr-0.5 pl-2.5">
              <DataText text={file.name} className="min-w-0" />
              <IconButton label={t('task.add.file.remove', { name: file.name })} onClick={() => setFile(null)}>
                <X aria-hidden className="size-4" />
              </IconButton>
            </span>
          )}
          <Button onClick={() => chooser.current?.click()}>
            <Upload aria-hidden className="size-4 text-muted" />
            {t('task.add.file')}
          </Button>
          <input
            ref={chooser}
            type="file"
            accept="image/png,image/jpeg,image/webp,image/gif"
            aria-label={t('task.add.file')}
            tabIndex={-1}
            onChange={({ target }) => {
              setFile(target.files?.[0] ?? null)
              target.value = ''
            }}
            className="hidden"
          />
        </div>
      )}
    </Field>
  )
}

function ParametersSection() {
  const t = useT()
  const { control: form, formState, getValues } = useFormContext<OrderValues>()
  const error = formState.errors.parameters?.message
  return (
    <FoldedSection title={t('task.add.more')} note={t('task.add.more.note')} isOpen={error !== undefined || getValues('parameters') !== ''}>
      <Field label={t('task.add.parameters')} hint={t('task.add.parameters.hint')} error={error}>
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
